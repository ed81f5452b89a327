internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the options with which a browser or device signs with a passkey. They name no account and no passkey, so
    /// that the user chooses one.
    static let startPasskeySignIn = client(
        "startPasskeySignIn", .post, "/v2/accounts/passkeySignIn:start"
    ) { call, client in
        _ = try call.body(as: StartPasskeySignInRequest.self, for: client)
        try LoginServices.requireNotClientOfOneService(client.app)
        return try .json(
            PasskeyRequest(try call.services.signIn.passkey.start(for: client.app, in: client.realm)))
    }

    static let finalizePasskeySignIn = client(
        "finalizePasskeySignIn", .post, "/v2/accounts/passkeySignIn:finalize"
    ) { call, client in
        let request = try call.body(as: FinalizePasskeySignInRequest.self, for: client)
        try client.realm.requirePasskeysAllowed()
        try LoginServices.requireNotClientOfOneService(client.app)
        guard let response = request.authenticatorAuthenticationResponse else { throw PasskeyRefusal.missingResponse }
        let outcome = try await call.services.signIn.passkey.signIn(
            try response.authentication(), for: client.app, in: client.realm, from: call.context)
        return try .json(SessionResponse(PasskeySignInMembers(outcome), outcome))
    }

    /// Returns the options with which a browser or device creates the passkey of a new account.
    static let startPasskeySignUp = client(
        "startPasskeySignUp", .post, "/v2/accounts/passkeySignUp:start"
    ) { call, client in
        let request = try call.body(as: StartPasskeySignUpRequest.self, for: client)
        let started = try call.services.signIn.passkey.startSignUp(
            email: request.email.nonEmpty, displayName: try request.displayName.checkedName()?.content,
            for: client.app, in: client.realm)
        return try .json(PasskeyCreation(started))
    }

    /// Creates an account with the created passkey.
    static let finalizePasskeySignUp = client(
        "finalizePasskeySignUp", .post, "/v2/accounts/passkeySignUp:finalize"
    ) { call, client in
        let request = try call.body(as: FinalizePasskeySignUpRequest.self, for: client)
        try client.realm.requirePasskeysAllowed()
        guard let response = request.authenticatorRegistrationResponse else { throw PasskeyRefusal.missingResponse }
        let outcome = try await call.services.signIn.passkey.signUp(
            try response.registration(), name: try request.name.checkedName(of: "name")?.content,
            email: request.email.nonEmpty, profile: try request.displayName.profileOfNewAccount(), for: client.app,
            in: client.realm,
            from: call.context)
        return try .json(SessionResponse(PasskeySignInMembers(outcome), outcome))
    }
}

private struct StartPasskeySignInRequest: ClientRequestBody {
    let tenantId: String?
    let targetProjectId: String?
}

private struct FinalizePasskeySignInRequest: ClientRequestBody {
    let authenticatorAuthenticationResponse: AuthenticatorResponseInput?
    let tenantId: String?
    let targetProjectId: String?
}

private struct StartPasskeySignUpRequest: ClientRequestBody {
    let email: String?
    let displayName: ProfileText?
    let tenantId: String?
    let targetProjectId: String?
}

private struct FinalizePasskeySignUpRequest: ClientRequestBody {
    let authenticatorRegistrationResponse: AuthenticatorResponseInput?
    /// The name of the passkey.
    let name: ProfileText?
    let displayName: ProfileText?
    let email: String?
    let tenantId: String?
    let targetProjectId: String?
}

/// The members of a response that signs in with a passkey.
private struct PasskeySignInMembers: Encodable {
    let localId: String?
    let isNewUser: Bool?
    let passkeySignals: [PasskeySignal]?

    init(_ outcome: SignInOutcome) {
        localId = outcome.account?.id.rawValue
        isNewUser = outcome.isNewAccount
        passkeySignals = outcome.account.flatMap { PasskeySignal.all(for: $0).nonEmpty }
    }
}

/// `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3 §5.1.10).
struct PasskeyRequest: Encodable {
    struct Options: Encodable {
        let challenge: String
        let rpId: String
        /// In milliseconds.
        let timeout = PasskeyChallenges.lifetime.components.seconds * 1000
        let userVerification = "required"
    }

    let credentialRequestOptions: Options
    /// The challenge, which older clients send back.
    let sessionId: String

    init(_ started: PasskeyMethod.StartedSignIn) {
        credentialRequestOptions = Options(challenge: webAuthnBytes(started.challenge), rpId: started.rpID)
        sessionId = started.challenge
    }
}
