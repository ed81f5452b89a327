internal import API
internal import Crypto
internal import Encoding
internal import Gateway
internal import HTTP
internal import Identity
internal import Simulators

extension Endpoint {
    /// Signs a person in at a simulated provider, and returns the credential as an app receives it from the real
    /// provider.
    static func simulateSignIn(at simulators: DevSimulators, _ projects: DevProjects) -> Endpoint {
        outsideContract("simulateSignIn", .post, "/emulator/v1/projects/{project}/simulatedSignIns") { call in
            let realm = try await projects.realm(inPathOf: call)
            let request = try call.decodedBody(as: SimulatedSignInRequest.self)
            return try .json(simulators.signIn(try SimulatedSignInInput(request, in: realm)))
        }
    }
}

private struct SimulatedSignInRequest: Decodable {
    let providerId: String?
    let person: SimulatedPersonInput?
    /// The nonce as the app passes it to the provider: for Apple, the SHA-256 of the raw nonce in hexadecimal.
    let nonce: String?
    /// The nonce before hashing.
    let rawNonce: String?
    let audience: String?
    let firstTime: Bool?
}

/// A validated ``SimulatedSignInRequest``.
private struct SimulatedSignInInput {
    let provider: ProviderSettings
    let person: SimulatedPerson
    let audience: String
    /// The value of the token's claim `nonce`.
    let nonce: String?
    let rawNonce: String?
    /// Whether the person signs in as if they had never used the app.
    let isFirst: Bool

    /// A sign-in without a nonce.
    init(_ person: SimulatedPerson, signingInTo client: String, at provider: ProviderID, in realm: Realm) {
        self.provider =
            realm.settings(of: provider) ?? ProviderSettings(provider: provider, isEnabled: false, clientIDs: [])
        self.person = person
        audience = client
        (nonce, rawNonce, isFirst) = (nil, nil, false)
    }

    init(_ request: SimulatedSignInRequest, in realm: Realm) throws(RequestRefusal) {
        let ids = [.apple] + DevSimulators.otherTypes.map { $0.provider }
        guard let id = request.providerId.map({ ProviderID($0) }), ids.contains(id) else {
            throw .invalidField("/providerId", "must be \(ids.map(\.rawValue).joined(beforeLast: "or"))")
        }
        guard request.nonce == nil || request.rawNonce == nil else {
            throw .invalidField("", "must not have both nonce and rawNonce")
        }
        guard request.nonce?.isEmpty != true else { throw .invalidField("/nonce", "must not be empty") }
        guard request.rawNonce?.isEmpty != true else { throw .invalidField("/rawNonce", "must not be empty") }
        let settings = realm.settings(of: id)
        guard let audience = request.audience ?? settings?.clientIDs.first, !audience.isEmpty else {
            throw .invalidField("/audience", "must be present: the project has no client ID of this provider")
        }
        provider = settings ?? ProviderSettings(provider: id, isEnabled: false, clientIDs: [])
        self.audience = audience
        person = try SimulatedPerson(request.person ?? SimulatedPersonInput())
        rawNonce = request.rawNonce
        let hashesNonce = realm.project.supportedProviders[id]?.hashesNonce == true
        nonce =
            request.nonce
            ?? request.rawNonce.map { hashesNonce ? Hexadecimal.encode(Digest.sha256(Array($0.utf8))) : $0 }
        isFirst = request.firstTime ?? false
    }
}

/// The credential that an app receives, and the body that the app sends to the gateway.
private struct SimulatedSignIn: Encodable {
    let providerId: String
    let idToken: String
    let authorizationCode: String
    /// The JSON that Apple sends only at the first sign-in.
    var user: String?
    let rawNonce: String?
    /// For `accounts:signInWithIdp`.
    let postBody: String

    init(_ input: SimulatedSignInInput, idToken: String, authorizationCode: String, user: String? = nil) {
        providerId = input.provider.provider.rawValue
        self.idToken = idToken
        self.authorizationCode = authorizationCode
        self.user = user
        rawNonce = input.rawNonce
        let fields: [(String, String?)] = [
            ("id_token", idToken), ("providerId", providerId), ("nonce", rawNonce), ("user", user),
            // Beside an ID token, the gateway uses only Apple's code.
            ("code", providerId == ProviderID.apple.rawValue ? authorizationCode : nil),
        ]
        postBody = PercentEncoding.encode(form: fields.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension DevSimulators {
    /// Signs a person in at a provider, and returns the `postBody` with which the app signs in to the gateway.
    func postBody(
        of person: SimulatedPerson, signingInTo client: String, at provider: ProviderID, in realm: Realm
    ) throws -> String {
        try signIn(SimulatedSignInInput(person, signingInTo: client, at: provider, in: realm)).postBody
    }

    fileprivate func signIn(_ input: SimulatedSignInInput) throws -> SimulatedSignIn {
        register(input.audience, of: input.provider)
        if let simulator = other(input.provider.provider)?.simulator {
            let credential = try simulator.signIn(
                input.person, to: input.audience, nonce: input.nonce, isFirst: input.isFirst)
            return SimulatedSignIn(
                input, idToken: credential.idToken, authorizationCode: credential.authorizationCode)
        }
        if input.isFirst { apple.disconnect(input.person, from: input.audience) }
        let authorization = try apple.authorize(input.person, client: input.audience, nonce: input.nonce)
        return SimulatedSignIn(
            input, idToken: authorization.identityToken, authorizationCode: authorization.authorizationCode,
            user: authorization.user)
    }
}
