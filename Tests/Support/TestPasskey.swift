import Encoding
import HTTP
import Identity
import Testing
import WebAuthnSupport

/// A device with one passkey.
struct TestPasskey: Sendable {
    var authenticator: SoftwareAuthenticator
    /// What the device stores for the account; `nil` before the registration.
    var userHandle: [UInt8]?
    /// The credential ID, in base64url; empty before the registration.
    private(set) var id = ""

    init(rpID: String = "example.com", origin: String = "https://example.com") throws {
        authenticator = try SoftwareAuthenticator(rpID: rpID, origin: origin)
    }

    /// Creates the passkey, and returns the value of `authenticatorRegistrationResponse`.
    mutating func register(_ started: Exchange) throws -> JSON {
        try register(options: try #require(started.json["credentialCreationOptions"], "\(started.text)"))
    }

    /// - Parameter options: `PublicKeyCredentialCreationOptionsJSON`.
    mutating func register(options: JSON) throws -> JSON {
        userHandle = try Self.bytes(options["user"]?["id"])
        let registration = try authenticator.register(challenge: try Self.bytes(options["challenge"]))
        id = Base64URL.encode(registration.id)
        return [
            "id": .string(id), "rawId": .string(id), "type": "public-key",
            "response": [
                "clientDataJSON": .string(Base64URL.encode(registration.clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(registration.attestationObject)),
                "transports": ["internal", "hybrid", "internal", "<script>", "USB", "smart card"],
            ],
        ]
    }

    /// Signs, and returns the value of `authenticatorAuthenticationResponse`.
    mutating func sign(_ started: Exchange) throws -> JSON {
        try sign(options: try #require(started.json["credentialRequestOptions"], "\(started.text)"))
    }

    /// - Parameter options: `PublicKeyCredentialRequestOptionsJSON`.
    mutating func sign(options: JSON) throws -> JSON {
        let signed = try authenticator.authenticate(
            challenge: try Self.bytes(options["challenge"]), userHandle: userHandle)
        var response: [String: JSON] = [
            "clientDataJSON": .string(Base64URL.encode(signed.clientDataJSON)),
            "authenticatorData": .string(Base64URL.encode(signed.authenticatorData)),
            "signature": .string(Base64URL.encode(signed.signature)),
        ]
        if let userHandle { response["userHandle"] = .string(Base64URL.encode(userHandle)) }
        return ["id": .string(id), "rawId": .string(id), "type": "public-key", "response": .object(response)]
    }

    /// Decodes as iOS does: strictly, with the standard alphabet and padding.
    static func bytes(_ value: JSON?) throws -> [UInt8] {
        let text = try #require(value?.string)
        let bytes = try #require(Base64.decode(text))
        #expect(Base64.encode(bytes) == text)
        return bytes
    }
}

/// An account with a passkey, and the session that the enrolment opened.
struct PasskeyAccount: Sendable {
    var device: TestPasskey
    let tokens: TestGateway.Tokens
}

extension TestGateway {
    func startPasskeyEnrolment(_ idToken: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await post(
            "/v2/accounts/passkeyEnrollment:start", .object(more.merging(["idToken": .string(idToken)]) { $1 }))
    }

    func finalizePasskeyEnrolment(
        _ idToken: String, _ response: JSON?, _ more: [String: JSON] = [:], key: String = apiKey
    ) async throws -> Exchange {
        var body = more.merging(["idToken": .string(idToken)]) { $1 }
        body["authenticatorRegistrationResponse"] = response
        return try await post("/v2/accounts/passkeyEnrollment:finalize", .object(body), key: key)
    }

    /// Enrols a passkey.
    func enrolPasskey(_ tokens: Tokens, name: String? = nil) async throws -> PasskeyAccount {
        var device = try TestPasskey()
        let response = try device.register(await startPasskeyEnrolment(tokens.idToken))
        let finalized = try await finalizePasskeyEnrolment(
            tokens.idToken, response, name.map { ["name": .string($0)] } ?? [:])
        return PasskeyAccount(device: device, tokens: try Tokens(finalized))
    }

    func startPasskeySignIn(key: String = apiKey) async throws -> Exchange {
        try await post("/v2/accounts/passkeySignIn:start", [:], key: key)
    }

    func finalizePasskeySignIn(_ response: JSON?, key: String = apiKey) async throws -> Exchange {
        var body: [String: JSON] = [:]
        body["authenticatorAuthenticationResponse"] = response
        return try await post("/v2/accounts/passkeySignIn:finalize", .object(body), key: key)
    }

    /// Signs in with the passkey of `device`.
    func signInWithPasskey(_ device: inout TestPasskey) async throws -> Exchange {
        try await finalizePasskeySignIn(try device.sign(await startPasskeySignIn()))
    }

    /// The names of an account's passkeys, as the account's row counts them.
    func passkeys(of localId: String) async throws -> [String] {
        let user = try await accountSeenByAdmin(localId)
        return (user["passkeyInfo"]?.elements ?? []).compactMap { $0["name"]?.string }
    }
}
