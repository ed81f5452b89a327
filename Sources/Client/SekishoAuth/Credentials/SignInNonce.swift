public import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#endif

/// A nonce for one sign-in with Apple or Google. The provider copies the nonce of the request into the ID token, and
/// the gateway compares it with ``rawNonce``. This prevents the replay of a stolen ID token.
public struct SignInNonce: Sendable {
    /// The nonce before hashing, for the `rawNonce` of the credential.
    public let rawNonce: String
    /// The SHA-256 of the nonce in lower-case hexadecimal digits, for the request to Apple. See
    /// ``LoginMethod/Nonce/isHashed`` for other providers.
    public let sha256: String
    /// When the nonce expires, by the device's clock. `nil` for a nonce from ``random()``.
    public let expiresAt: Date?

    init(rawNonce: String, sha256: String, expiresAt: Date?) {
        self.rawNonce = rawNonce
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

#if canImport(CryptoKit)
    extension SignInNonce {
        /// Returns a nonce of 256 random bits, for when the app cannot wait for ``Auth/issueNonce()``.
        public static func random() -> SignInNonce {
            let rawNonce = String.randomHexadecimal()
            let sha256 = String.hexadecimal(SHA256.hash(data: Data(rawNonce.utf8)))
            return SignInNonce(rawNonce: rawNonce, sha256: sha256, expiresAt: nil)
        }
    }
#endif

extension SignInNonce: CustomStringConvertible, CustomReflectable {
    /// The name of the type. Does not contain the nonce.
    public var description: String { "SignInNonce" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Auth {
    /// Requests a nonce from the gateway. It can be used once, until ``SignInNonce/expiresAt``.
    public func issueNonce() async throws -> SignInNonce {
        let response: IssueNonceResponse = try await core.post(
            "/v1/accounts:issueNonce", IssueNonceRequest(tenantId: core.tenantID))
        return SignInNonce(
            rawNonce: response.nonce, sha256: response.nonceSha256,
            expiresAt: core.options.clock.now() + response.expiresIn.value)
    }

    /// Completion-handler form of the `async` method.
    public func issueNonce(completion: @escaping (SignInNonce?, (any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.issueNonce() }
    }
}
