public import Foundation

/// A nonce that the gateway issued for one sign-in with Apple or Google.
public struct IssuedNonce: Sendable {
    /// The nonce for the credential (`rawNonce`).
    public let rawNonce: String
    /// The SHA-256 of the nonce in hexadecimal, for the request to Apple or Google.
    public let sha256: String
    /// When the gateway stops accepting the nonce, by the device's clock.
    public let expiresAt: Date
}

extension IssuedNonce: CustomStringConvertible, CustomReflectable {
    /// When the nonce expires.
    public var description: String { "IssuedNonce(expiresAt: \(expiresAt))" }
    /// When the nonce expires.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

extension Auth {
    /// Asks the gateway for a nonce, which is valid for ten minutes.
    public func issueNonce() async throws -> IssuedNonce {
        let response: IssueNonceResponse = try await core.post(
            "/v1/accounts:issueNonce", IssueNonceRequest(tenantId: core.tenantID))
        return IssuedNonce(
            rawNonce: response.nonce, sha256: response.nonceSha256,
            expiresAt: core.options.clock.now() + response.expiresIn.value)
    }

    /// See the asynchronous form.
    public func issueNonce(completion: @escaping (IssuedNonce?, (any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.issueNonce() }
    }
}
