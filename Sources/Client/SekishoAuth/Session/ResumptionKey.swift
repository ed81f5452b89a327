internal import Foundation

/// A secret that is made and stored before a request that replaces the gateway's session. With it, a refresh token of
/// the replaced session gives tokens of the new one, so that a lost response does not sign the user out.
///
/// The key is deleted as soon as the outcome of the request is known. Otherwise an older copy of the store would
/// contain it, and could open the session that a later password begins.
struct ResumptionKey: Codable, Hashable, Sendable {
    let value: String
    /// When the ID token of the latest request with the key expires, in seconds since 1970 by the gateway's clock. The
    /// gateway does not accept that request later.
    var neededUntil: TimeInterval

    /// Makes a key of 256 random bits.
    init(neededUntil: TimeInterval) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        value = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        self.neededUntil = neededUntil
    }
}

extension User {
    /// Sends a request that replaces the gateway's session, with a key that is stored before; or another request, without
    /// a key.
    ///
    /// The caller adopts the tokens of the response and removes the key in one write.
    func replacingSession<Result>(
        if replacesSession: Bool, _ request: (_ resumptionKey: String?) async throws -> Result
    ) async throws -> Result {
        guard replacesSession else { return try await request(nil) }
        let earlier = session.current.resumptionKey
        let key = prepareResumptionKey()
        do {
            return try await request(key.value)
        } catch let error as AuthErrorCode where earlier == nil && error.isRejection {
            core.update(self) { if $0.resumptionKey == key { $0.resumptionKey = nil } }
            throw error
        }
    }

    /// The key of an earlier request whose outcome is unknown, or a new one.
    private func prepareResumptionKey() -> ResumptionKey {
        let idToken = session.current.tokens.idToken
        // A token without the claim is not the gateway's: the request will be rejected.
        let expiry = (try? IDTokenClaims(of: idToken).date("exp").timeIntervalSince1970) ?? 0
        var key = ResumptionKey(neededUntil: expiry)
        core.update(self) { session in
            // Another process may have stored a key meanwhile.
            if let present = session.resumptionKey {
                key = present
                key.neededUntil = max(key.neededUntil, expiry)
            }
            session.resumptionKey = key
        }
        return key
    }
}

extension AuthErrorCode {
    /// Whether the gateway certainly did not make the change. A rejected ID token may be the consequence of the change,
    /// because the system may send a request a second time.
    fileprivate var isRejection: Bool { serverCode != nil && !rejectsIDToken && !endsSession }
}
