public import Foundation

/// A session: one sign-in of the user on one device.
public struct UserSession: Hashable, Sendable, Identifiable {
    /// The ID of the session, which its ID tokens contain as the claim `sid`.
    public let id: String
    /// Whether this is the session of this device.
    public let isCurrent: Bool
    /// The provider ID of the sign-in, for example `apple.com`.
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
        createdAt = session.createdAt?.date ?? Date(timeIntervalSince1970: 0)
        lastUsedAt = session.lastUsedAt?.date ?? Date(timeIntervalSince1970: 0)
    }
}

extension User {
    /// Returns all active sessions of the user, the most recently used first.
    public func listSessions() async throws -> [UserSession] {
        var sessions: [UserSession] = []
        var pageToken: String?
        repeat {
            let page: ListSessionsResponse = try await withIDToken { [core, pageToken] idToken in
                try await core.post(
                    "/v1/accounts:listSessions",
                    ListSessionsRequest(idToken: idToken, pageSize: 1000, pageToken: pageToken))
            }
            sessions += page.sessions.map(UserSession.init)
            pageToken = page.nextPageToken
        } while pageToken != nil
        return sessions.sorted { $0.lastUsedAt > $1.lastUsedAt }
    }

    /// Revokes a session. If it is the session of this device, the user is signed out.
    ///
    /// - Parameter id: an ID from ``listSessions()``.
    /// - Throws: ``AuthErrorCode/internalError`` with the ``AuthErrorCode/serverCode`` `SESSION_NOT_FOUND` if the
    ///   user has no active session with this ID; ``AuthErrorCode/keychainError`` if the store fails, before or after
    ///   the revocation.
    public func revokeSession(_ id: String) async throws {
        try await revoke(id == session.current.tokens.sessionID ? "current" : id)
    }

    /// Revokes all sessions of the account and signs the user out.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` as ``revokeSession(_:)``.
    public func revokeAllSessions() async throws { try await revoke(nil) }

    /// - Parameter sessionId: an ID, `current`, or `nil` for all sessions.
    private func revoke(_ sessionId: String?) async throws {
        try await replacingTokens(onAccountError: .keepUser) { [self] idToken in
            let _: EmptyResponse = try await core.post(
                "/v1/accounts:revokeSession",
                RevokeSessionRequest(
                    idToken: idToken, sessionId: sessionId, everywhere: sessionId == nil ? true : nil))
            if sessionId == nil || sessionId == "current" { try await core.signOutLocally(self) }
        }
    }
}
