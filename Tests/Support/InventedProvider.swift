internal import Encoding
import Identity

@testable import Providers

extension ProviderID {
    static let invented = ProviderID("invented.example")
}

extension IdentityProvider {
    /// A social provider that does not exist. It proves that a provider is one file: this one.
    static let invented = IdentityProvider(
        Provider(
            id: .invented, displayName: "Invented", issuers: ["https://login.invented.example"],
            issuerDomains: ["invented.example"], federatedIDPrefix: "https://invented.example/people/"),
        endpoints: ProviderEndpoints(
            keysURL: "https://login.invented.example/keys",
            authorizationURL: "https://login.invented.example/authorize",
            codeExchange: .secretInBody(tokenURL: "https://login.invented.example/token")),
        identity: { token, credential, _ in
            try token.requireNonce(credential.rawNonce)
            let email = token.claims.text("email").flatMap(EmailAddress.init)
            return VerifiedIdentity(
                provider: .invented, subject: try token.subject(), audience: token.audience, email: email,
                emailTrust: email != nil && token.claims.isTrue("email_verified") ? .verified : .none,
                profile: UserProfile(token.claims), rawUserInfo: token.json,
                nonce: credential.rawNonce ?? token.claims.nonce)
        })
}
