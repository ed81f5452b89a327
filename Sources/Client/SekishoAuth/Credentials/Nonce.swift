public import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#endif

/// A nonce for one sign-in with Apple or Google. The provider puts its SHA-256 into the identity token, and the gateway
/// compares the two, so that a stolen token cannot be used a second time.
public struct SignInNonce: Sendable {
    /// The nonce for the credential (`rawNonce`).
    public let rawNonce: String
    /// The SHA-256 of the nonce in hexadecimal, for the request to Apple or Google.
    public let sha256: String
    /// When the gateway stops accepting the nonce, by the device's clock. `nil` for a nonce of the app itself.
    public let expiresAt: Date?

    init(rawNonce: String, sha256: String, expiresAt: Date?) {
        self.rawNonce = rawNonce
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

#if canImport(CryptoKit)
    extension SignInNonce {
        /// Makes a nonce on the device. Use it if there is no time to request one from the gateway.
        public static func random() -> SignInNonce {
            var generator = SystemRandomNumberGenerator()
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let rawNonce = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let digest = SHA256.hash(data: Data(rawNonce.utf8))
            let sha256 = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return SignInNonce(rawNonce: rawNonce, sha256: sha256, expiresAt: nil)
        }
    }
#endif

extension SignInNonce: CustomStringConvertible, CustomReflectable {
    /// The name of the type only.
    public var description: String { "SignInNonce" }
    /// Nothing of the nonce.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Auth {
    /// Requests a nonce from the gateway. It is valid for ten minutes.
    public func issueNonce() async throws -> SignInNonce {
        let response: IssueNonceResponse = try await core.post(
            "/v1/accounts:issueNonce", IssueNonceRequest(tenantId: core.tenantID))
        return SignInNonce(
            rawNonce: response.nonce, sha256: response.nonceSha256,
            expiresAt: core.options.clock.now() + response.expiresIn.value)
    }

    /// See the asynchronous form.
    public func issueNonce(completion: @escaping (SignInNonce?, (any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.issueNonce() }
    }
}
