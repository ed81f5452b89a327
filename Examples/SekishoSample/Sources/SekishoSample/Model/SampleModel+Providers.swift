import Foundation
import SekishoAuth

/// The result of Apple's or Google's dialog.
public struct ProviderAuthorization: Sendable {
    /// The provider's ID, for example `apple.com`.
    public var providerID: String
    /// The ID token, as the provider issued it.
    public var idToken: String
    /// The user's name. Apple sends it at the first sign-in only.
    public var fullName: PersonNameComponents?
    /// Apple's authorization code. With it, the gateway can revoke Apple's tokens when the account is deleted.
    public var authorizationCode: String?

    /// Creates the result of a dialog.
    public init(
        providerID: String, idToken: String, fullName: PersonNameComponents? = nil, authorizationCode: String? = nil
    ) {
        self.providerID = providerID
        self.idToken = idToken
        self.fullName = fullName
        self.authorizationCode = authorizationCode
    }
}

extension SampleModel {
    /// Requests a nonce from the gateway for the next dialog. Call it before the dialog opens, for example when its
    /// button appears.
    public func prepareNonce() async { await perform { self.nonce = try await self.auth.issueNonce() } }

    /// Returns the gateway's nonce for the request to the provider. If that nonce is missing or expired, creates a
    /// nonce on the device. On Linux, returns the gateway's nonce even if it is expired, and `nil` if it is missing.
    public func nonceForRequest() -> SignInNonce? {
        #if canImport(CryptoKit)
            if nonce.map({ ($0.expiresAt ?? .distantFuture) < Date() }) ?? true { nonce = .random() }
        #endif
        return nonce
    }

    /// Signs in, links or reauthenticates with the result of a dialog.
    public func use(_ authorization: ProviderAuthorization, for purpose: CredentialPurpose) async {
        await perform {
            let rawNonce = self.nonce?.rawNonce
            self.nonce = nil
            try await self.use(Self.credential(authorization, rawNonce: rawNonce), for: purpose)
        }
    }

    /// Signs in, links or reauthenticates at a provider in the browser.
    public func useBrowser(_ providerID: String, for purpose: CredentialPurpose) async {
        await perform {
            let provider = OAuthProvider(providerID: providerID)
            switch purpose {
            case .signIn:
                let result = try await self.auth.signIn(with: provider, uiDelegate: nil)
                try await self.linkPostponedCredential(to: result.user)
            case .link: try await self.user.link(with: provider, uiDelegate: nil)
            case .reauthenticate:
                try await self.user.reauthenticate(with: provider, uiDelegate: nil)
                try await self.continuePostponedAction()
            }
        }
    }

    private static func credential(_ authorization: ProviderAuthorization, rawNonce: String?) -> OAuthCredential {
        if authorization.providerID == AuthProviderID.apple.rawValue {
            return OAuthProvider.appleCredential(
                withIDToken: authorization.idToken, rawNonce: rawNonce, fullName: authorization.fullName,
                authorizationCode: authorization.authorizationCode)
        }
        return OAuthProvider.credential(
            withProviderID: authorization.providerID, idToken: authorization.idToken, rawNonce: rawNonce)
    }
}
