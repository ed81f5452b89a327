internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the options with which a browser or device creates a passkey for the caller's account.
    static let startPasskeyEnrollment = client(
        "startPasskeyEnrollment", .post, "/v2/accounts/passkeyEnrollment:start"
    ) { call, client in
        let request = try call.body(as: StartPasskeyEnrollmentRequest.self, for: client)
        try client.realm.requirePasskeysAllowed()
        try LoginServices.requireNotClientOfOneService(client.app)
        let idToken = try request.idToken.required(.missingIDToken)
        let isConditional = try request.isConditional()
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        let started = try call.services.accounts.passkeys.start(
            for: caller, isConditional: isConditional, for: client.app, in: client.realm)
        return try .json(PasskeyCreation(started))
    }

    /// Adds the created passkey to the caller's account.
    static let finalizePasskeyEnrollment = client(
        "finalizePasskeyEnrollment", .post, "/v2/accounts/passkeyEnrollment:finalize"
    ) { call, client in
        let request = try call.body(as: FinalizePasskeyEnrollmentRequest.self, for: client)
        try client.realm.requirePasskeysAllowed()
        try LoginServices.requireNotClientOfOneService(client.app)
        let idToken = try request.idToken.required(.missingIDToken)
        guard let response = request.authenticatorRegistrationResponse else { throw PasskeyRefusal.missingResponse }
        let (registration, name) = (try response.registration(), try request.passkeyName())
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        let signedIn = try await call.services.accounts.passkeys.finalize(
            for: caller, registration, name: name, for: client.app, in: client.realm, from: call.context)
        return try .json(SessionResponse(PasskeyMembers(signedIn), signedIn))
    }
}

private struct StartPasskeyEnrollmentRequest: ClientRequestBody {
    let idToken: String?
    /// As in `CredentialCreationOptions`: absent, or `conditional` for a passkey that the user does not ask for.
    let mediation: String?
    let tenantId: String?
    let targetProjectId: String?

    func isConditional() throws(RequestRefusal) -> Bool {
        switch mediation.nonEmpty.map({ ByteText($0) }) {
        case nil: false
        case "conditional": true
        default: throw .notOneOf(["conditional"], at: "/mediation")
        }
    }
}

private struct FinalizePasskeyEnrollmentRequest: ClientRequestBody {
    let idToken: String?
    let authenticatorRegistrationResponse: AuthenticatorResponseInput?
    let name: ProfileText?
    let displayName: ProfileText?
    let tenantId: String?
    let targetProjectId: String?

    /// The name of the passkey; `nil` if the user gave none.
    func passkeyName() throws(RequestRefusal) -> String? {
        if let name = try name.checkedName(of: "name")?.content { return name }
        return try displayName.checkedName()?.content
    }
}

/// The members of a response that signs in with a passkey, or enrols one.
struct PasskeyMembers: Encodable {
    let localId: String
    let isNewUser: Bool
    let passkeySignals: [PasskeySignal]?

    init(_ signedIn: SignedIn) {
        localId = signedIn.account.id.rawValue
        isNewUser = signedIn.isNewAccount
        passkeySignals = PasskeySignal.all(for: signedIn.account).nonEmpty
    }
}

/// `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3 §5.1.9).
struct PasskeyCreation: Encodable {
    struct Options: Encodable {
        struct RelyingParty: Encodable {
            let id: String
            let name: String
        }

        struct User: Encodable {
            let id: String
            let name: String
            let displayName: String
        }

        struct Parameter: Encodable {
            let type = "public-key"
            let alg: Int
        }

        struct Descriptor: Encodable {
            let type = "public-key"
            let id: String
            let transports: [String]
        }

        struct Selection: Encodable {
            let residentKey = "required"
            let requireResidentKey = true
            let userVerification: String
        }

        struct Extensions: Encodable {
            let credProps = true
        }

        let rp: RelyingParty
        let user: User
        let challenge: String
        /// EdDSA, ES256 and RS256.
        let pubKeyCredParams = [-8, -7, -257].map(Parameter.init)
        /// In milliseconds.
        let timeout = PasskeyChallenges.lifetime.components.seconds * 1000
        let excludeCredentials: [Descriptor]
        let authenticatorSelection: Selection
        let attestation = "none"
        let extensions = Extensions()
    }

    let credentialCreationOptions: Options
    /// The challenge, which older clients send back.
    let sessionId: String

    init(_ started: PasskeyEnrolment.Started) {
        credentialCreationOptions = Options(
            rp: Options.RelyingParty(id: started.rpID, name: started.rpID),
            user: Options.User(
                id: webAuthnBytes(started.userHandle), name: started.userName, displayName: started.displayName),
            challenge: webAuthnBytes(started.challenge),
            excludeCredentials: started.existing.map {
                Options.Descriptor(id: $0.id.rawValue, transports: $0.transports)
            },
            // A browser rejects a conditional creation that requires what it does not ask the user for.
            authenticatorSelection: Options.Selection(
                userVerification: started.isConditional ? "preferred" : "required"))
        sessionId = started.challenge
    }
}
