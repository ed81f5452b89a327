internal import Encoding
internal import Gateway
internal import Identity
internal import JSON
internal import Providers

extension Verifier {
    /// Accepts the fake credentials of Firebase's emulator: bare JSON claims and unsigned JWTs, for any audience and
    /// even from unsupported providers, as ID token or, without an ID token, as access token. Ignores the signature of
    /// a token with the issuer of a built-in provider, unless the token names a key of a simulator. Passes all other
    /// signed tokens to `signed`. `serve` cannot use this function.
    ///
    /// - Parameter isSimulatorKey: whether a simulator has issued the key with this ID.
    static func fake(
        isSimulatorKey: @escaping @Sendable (_ keyID: String) -> Bool, otherwise signed: Verifier
    ) -> Verifier {
        Verifier { credential, app, realm in
            let text = (credential.idToken ?? credential.accessToken)?.expose() ?? ""
            let provider = realm.project.supportedProviders.builtIn(credential.provider)
            guard
                let token = UnsignedToken(text)
                    ?? provider.flatMap({
                        UnsignedToken(strippingSignatureOf: text, of: $0, isSimulatorKey: isSimulatorKey)
                    })
            else {
                return try await signed.verify(credential, app, realm)
            }
            return try FakeClaims(token).identity(credential, in: realm)
        } requireAllowed: { provider, app, realm, use throws(ProviderRefusal) in
            if !provider.canOnlyBeFake(in: realm) { try signed.requireAllowed(provider, app, realm, use) }
        } loadKeys: { provider, realm in
            try await signed.loadKeys(provider, realm)
        }
    }
}

extension ProviderID {
    /// Whether the ID is a domain, such as `facebook.com`, of a provider that the gateway does not support.
    fileprivate func canOnlyBeFake(in realm: Realm) -> Bool {
        !realm.project.supportedProviders.canConfigure(self) && !["oidc.", "saml."].contains { rawValue.hasPrefix($0) }
            && rawValue.wholeMatch(of: /[a-z0-9-]+(\.[a-z0-9-]+)+/) != nil
    }
}

/// The claims of a fake token. Audience, issuer, times and nonce are not checked.
private struct FakeClaims {
    /// The maximum length of the picture's URL, in bytes.
    private static let urlLimit = 2048

    private let members: JSONObject

    init(_ token: UnsignedToken) throws(ProviderRefusal) {
        do {
            members = try StrictJSON.decode(JSONObject.self, from: token.claims)
        } catch {
            throw .invalidToken(.malformed)
        }
    }

    func identity(_ credential: FederatedCredential, in realm: Realm) throws -> VerifiedIdentity {
        // OpenID Connect Core 1.0 §2 limits subjects to 255 characters.
        guard let subject = text("sub"), subject.unicodeScalars.count <= 255 else {
            throw ProviderRefusal.invalidToken(.claim("sub"))
        }
        let email = text("email").flatMap(EmailAddress.init)
        return VerifiedIdentity(
            provider: credential.provider, subject: subject, audience: text("aud") ?? realm.project.id.rawValue,
            issuer: realm.issuer(of: credential.provider), email: email,
            emailTrust: email != nil && isTrue("email_verified") ? .authoritative : .none,
            isPrivateEmail: credential.provider == .apple && (email?.isRelay == true || isTrue("is_private_email")),
            profile: UserProfile(
                name: credential.name ?? PersonName(given: text("given_name"), family: text("family_name")),
                displayName: displayText("name"),
                photoURL: text("picture").flatMap { $0.utf8.count <= Self.urlLimit ? PhotoURL($0) : nil },
                screenName: displayText("screen_name"), language: displayText("locale"),
                timeZone: displayText("zoneinfo")),
            rawUserInfo: try userInfo(of: credential.provider, hasEmail: email != nil),
            hostedDomain: text("hd").flatMap(HostedDomain.init))
    }

    /// Returns a claim for display, without control characters and truncated like a name.
    private func displayText(_ name: ByteText) -> String? { PersonName(given: text(name), family: nil)?.full }

    /// Returns the raw user info like Firebase's emulator: for some providers, in a format of the provider; for other
    /// providers, the claims.
    private func userInfo(of provider: ProviderID, hasEmail: Bool) throws -> String {
        let simulator = DevSimulators.otherTypes.first { $0.provider == provider }
        return try Self.text(of: simulator?.userInfo(members, hasEmail: hasEmail) ?? members)
    }

    private static func text(of members: JSONObject) throws -> String {
        try StrictJSON.text(members)
    }

    /// - Returns: `nil` unless the member is a string that is not empty.
    private func text(_ name: ByteText) -> String? {
        guard case .string(let text) = members[name], !text.isEmpty else { return nil }
        return text
    }

    private func isTrue(_ name: ByteText) -> Bool { members[name] == .bool(true) || members[name] == .string("true") }
}
