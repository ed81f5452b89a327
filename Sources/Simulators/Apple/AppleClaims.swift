internal import Encoding
internal import JSON
internal import Synchronization

extension SimulatedApple {
    /// How long after an app's transfer to another team its tokens contain `transfer_sub`, and the former team can
    /// migrate its users: 60 days, in seconds.
    static let transferWindow: Int64 = 60 * 86_400

    /// Returns the identity token of a sign-in, before it is signed.
    ///
    /// - Parameters:
    ///   - code: the authorization code whose hash the token contains.
    ///   - accessToken: the access token whose hash the identity token contains.
    func identityTokenDraft(for signIn: AppleSignIn, code: String? = nil, accessToken: String? = nil) -> TokenDraft {
        let (client, quirks, key) = state.withLock { ($0.client(signIn.clientID), $0.quirks, $0.keys.current) }
        let now = clock()
        var claims: JSONObject = [
            "iss": .string(quirks.issuer ?? issuer), "aud": .string(client.id),
            "sub": .string(Self.subject(of: signIn.person, in: client.team)), "iat": .integer(now),
            "exp": .integer(now + quirks.identityTokenLifetime), "auth_time": .integer(signIn.authenticatedAt),
            "nonce_supported": .bool(quirks.supportsNonce),
        ]
        if quirks.supportsNonce { claims["nonce"] = signIn.nonce.map(JSONValue.string) }
        if signIn.sharesEmail { claims.merge(emailClaims(of: signIn.person, for: client, quirks)) { $1 } }
        if signIn.isFirst, client.kind != .web, !signIn.isOnWeb {
            claims["real_user_status"] = .integer(signIn.person.realUserStatus.rawValue)
        }
        claims["org_id"] = signIn.person.organization.map(JSONValue.string)
        claims["c_hash"] = code.map(halfHash)
        claims["at_hash"] = accessToken.map(halfHash)
        if let formerTeam = client.formerTeam, let transferredAt = client.transferredAt,
            now < transferredAt + Self.transferWindow
        {
            claims["transfer_sub"] = .string(
                Self.transferSubject(of: signIn.person, from: formerTeam, to: client.team))
        }
        return TokenDraft(claims: claims, key: key, type: nil, headerBeginsWithKeyID: true)
    }

    private func emailClaims(
        of person: SimulatedPerson, for client: AppleClient, _ quirks: AppleQuirks
    ) -> JSONObject {
        guard let email = Self.email(of: person, for: client, quirks) else { return [:] }
        func flag(_ value: Bool) -> JSONValue { quirks.booleansAreStrings ? .string("\(value)") : .bool(value) }
        var claims: JSONObject = ["email": JSONValue.string(email), "email_verified": flag(person.emailIsVerified)]
        if person.hidesEmail, quirks.marksPrivateEmail { claims["is_private_email"] = flag(true) }
        return claims
    }

    /// Returns the email address that a client gets: the person's own address, or a relay address. Relay addresses
    /// differ between teams.
    static func email(of person: SimulatedPerson, for client: AppleClient, _ quirks: AppleQuirks) -> String? {
        guard person.hidesEmail, person.email != nil else { return person.email }
        let name = Derived.alphanumerics(from: "apple relay", client.team, person.id, count: 10)
        return "\(name)@\(quirks.relayDomain.rawValue)"
    }

    /// The `transfer_sub` of the person for the transfer of an app from one team to another.
    static func transferSubject(of person: SimulatedPerson, from oldTeam: String, to newTeam: String) -> String {
        let number = Derived.digits(from: "apple transfer", person.id, count: 6)
        return "\(number).r\(Derived.hex(from: "apple transfer", oldTeam, newTeam, person.id, bytes: 16))"
    }
}
