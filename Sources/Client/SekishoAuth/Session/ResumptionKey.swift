internal import Foundation

/// A secret that is stored before a request that replaces the gateway's session. With it, the refresh token of the
/// replaced session can be exchanged for tokens of the new one, so that a lost response does not sign the user out.
///
/// The key is removed as soon as the outcome of the request is known. Otherwise, after a later change of the password,
/// an attacker with an old copy of the store could use the key to get tokens of the new session.
struct ResumptionKey: Codable, Hashable, Sendable {
    let value: String
    /// The expiry of the ID token in the latest request with the key, in seconds since 1970 by the gateway's clock.
    /// After this time, the gateway rejects that request.
    var neededUntil: TimeInterval

    init(neededUntil: TimeInterval) {
        value = .randomHexadecimal()
        self.neededUntil = neededUntil
    }
}

extension User {
    /// Sends a request. If the request replaces the gateway's session, first stores a resumption key, and passes the
    /// key to the request.
    ///
    /// The caller adopts the tokens of the response and removes the key in one write.
    func replacingSession<Result>(
        if replacesSession: Bool, _ request: (_ resumptionKey: String?) async throws -> Result
    ) async throws -> Result {
        guard replacesSession else { return try await request(nil) }
        let storedKey = session.current.resumptionKey
        let key = prepareResumptionKey()
        do {
            return try await request(key.value)
        } catch let error as AuthErrorCode where storedKey == nil && error.isRejection {
            // The key of an earlier request is kept, because the outcome of that request is unknown.
            core.update(self) { if $0.resumptionKey == key { $0.resumptionKey = nil } }
            throw error
        }
    }

    /// Stores and returns a key: that of an earlier request whose outcome is unknown, or a new one.
    private func prepareResumptionKey() -> ResumptionKey {
        let idToken = session.current.tokens.idToken
        // The gateway rejects a request whose token has no expiry.
        let expiry = (try? IDTokenClaims(of: idToken).date("exp").timeIntervalSince1970) ?? 0
        var key = ResumptionKey(neededUntil: expiry)
        core.update(self) { session in
            // Another process may have stored a key in the meantime.
            if let existing = session.resumptionKey {
                key = existing
                key.neededUntil = max(key.neededUntil, expiry)
            }
            session.resumptionKey = key
        }
        return key
    }
}

extension AuthErrorCode {
    /// Whether the gateway certainly did not make the change. If the gateway rejects the ID token, it may have made the
    /// change: the operating system can send a request twice, and the first copy makes the ID token invalid.
    fileprivate var isRejection: Bool { serverCode != nil && !rejectsIDToken && !endsSession }
}
