public import Foundation

/// One sign-in of the user on one device.
public struct UserSession: Hashable, Sendable, Identifiable {
    /// The ID of the session, which is the claim `sid` of its ID tokens.
    public let id: String
    /// Whether this is the session of this device.
    public let isCurrent: Bool
    /// How the user signed in, for example `apple.com`.
    public let signInProvider: String
    /// The name of the device. See ``SekishoOptions/deviceName``.
    public let device: String?
    /// When the user signed in.
    public let createdAt: Date
    /// When the session was last used.
    public let lastUsedAt: Date

    init(_ session: ListSessionsResponse.Session) {
        id = session.sessionId
        isCurrent = session.current ?? false
        signInProvider = session.signInProvider ?? ""
        device = session.device
        createdAt = Date(timeIntervalSince1970: (session.createdAt?.value ?? 0) / 1000)
        lastUsedAt = Date(timeIntervalSince1970: (session.lastUsedAt?.value ?? 0) / 1000)
    }
}

extension User {
    /// Returns the user's active sessions, at most 100, the most recently used first.
    public func listSessions() async throws -> [UserSession] {
        let response: ListSessionsResponse = try await withIDToken { [core] idToken in
            try await core.post("/v1/accounts:listSessions", IDTokenRequest(idToken: idToken))
        }
        return response.sessions.map(UserSession.init)
    }

    /// Ends a session. If it is that of this device, the user is signed out.
    ///
    /// - Parameter id: an ID from ``listSessions()``.
    public func revokeSession(_ id: String) async throws {
        try await revoke(id == session.current.tokens.gatewaySession ? "current" : id)
    }

    /// Ends every session of the account, also that of this device.
    public func revokeAllSessions() async throws { try await revoke(nil) }

    /// - Parameter sessionId: `nil` for all.
    private func revoke(_ sessionId: String?) async throws {
        try await replacingTokens(.concernsRequest) { [self] idToken in
            let _: EmptyResponse = try await core.post(
                "/v1/accounts:revokeSession",
                RevokeSessionRequest(
                    idToken: idToken, sessionId: sessionId, everywhere: sessionId == nil ? true : nil))
            if sessionId == nil || sessionId == "current" { await core.endSession(of: self) }
        }
    }
}
