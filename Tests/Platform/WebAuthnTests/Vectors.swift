import Encoding
import JSON
import Testing

@testable import WebAuthn

/// The vectors of WebAuthn Level 3 §16, in base64url.
struct VectorFile: Decodable {
    struct Ceremony: Decodable, Sendable {
        let name: String
        let registration: Registration
        let registered: Registered
        let authentication: Authentication
        let authenticated: Authenticated
    }

    struct Registration: Decodable, Sendable {
        let challenge: String
        let clientDataJSON: String
        let attestationObject: String
    }

    /// What a correct parser reads.
    struct Registered: Decodable, Sendable {
        let fmt: String
        let alg: Int
        let credentialId: String
        let publicKey: String
        /// Hexadecimal.
        let aaguid: String
        let flags: [String]
        let signCount: UInt32
    }

    struct Authentication: Decodable, Sendable {
        let challenge: String
        let clientDataJSON: String
        let authenticatorData: String
        let signature: String
    }

    struct Authenticated: Decodable, Sendable {
        let flags: [String]
        let signCount: UInt32
    }

    let rpId: String
    let origin: String
    let ceremonies: [Ceremony]
}

/// A vector of a registration and an authentication with the new passkey. A test changes the bytes.
struct Vector: CustomTestStringConvertible, Sendable {
    struct Undecodable: Error {}

    let name: String
    let id: [UInt8]
    let registrationChallenge: [UInt8]
    var registrationClientData: [UInt8]
    var attestationObject: [UInt8]
    let registered: VectorFile.Registered
    let authenticationChallenge: [UInt8]
    var authenticationClientData: [UInt8]
    var authenticatorData: [UInt8]
    var signature: [UInt8]
    let authenticated: VectorFile.Authenticated

    var testDescription: String { name }

    init(_ ceremony: VectorFile.Ceremony) throws {
        func bytes(_ text: String) throws -> [UInt8] {
            guard let bytes = Base64URL.decode(text) else { throw Undecodable() }
            return bytes
        }
        let (registration, authentication) = (ceremony.registration, ceremony.authentication)
        name = ceremony.name
        registered = ceremony.registered
        authenticated = ceremony.authenticated
        id = try bytes(registered.credentialId)
        registrationChallenge = try bytes(registration.challenge)
        registrationClientData = try bytes(registration.clientDataJSON)
        attestationObject = try bytes(registration.attestationObject)
        authenticationChallenge = try bytes(authentication.challenge)
        authenticationClientData = try bytes(authentication.clientDataJSON)
        authenticatorData = try bytes(authentication.authenticatorData)
        signature = try bytes(authentication.signature)
    }

    static let file = Result { try StrictJSON.decode(VectorFile.self, from: PackageResources.webauthn_json) }

    static func all() throws -> [Vector] { try file.get().ceremonies.map(Vector.init) }

    /// Accepts all vectors, some of which lack user verification, are embedded, or have an algorithm that the gateway
    /// does not offer. None has a user handle.
    static let lenientPolicy = RelyingPartyPolicy(
        rpID: "example.org", origins: ["https://example.org"], embedding: .permitted,
        algorithms: COSEAlgorithm.allCases, requiresUserVerification: false, requiresUserHandle: false)

    func register(by policy: RelyingPartyPolicy = lenientPolicy) throws(WebAuthnFault) -> VerifiedRegistration {
        try UnverifiedRegistration(
            id: id, rawID: id, clientDataJSON: registrationClientData, attestationObject: attestationObject
        ).verified(challenge: registrationChallenge, by: policy)
    }

    /// Authenticates with the key that the file names.
    func authenticate(by policy: RelyingPartyPolicy = lenientPolicy, userHandle: [UInt8]? = nil) throws(WebAuthnFault)
        -> VerifiedAuthentication
    {
        try UnverifiedAuthentication(
            id: id, rawID: id, clientDataJSON: authenticationClientData, authenticatorData: authenticatorData,
            signature: signature, userHandle: userHandle
        ).verified(
            with: StoredPasskey(
                credentialID: id, publicKey: COSEKey(decoding: Base64URL.decode(registered.publicKey) ?? []),
                userHandle: userHandle ?? [1], signCount: 0,
                isBackupEligible: authenticated.flags.contains("BE")),
            challenge: authenticationChallenge, by: policy)
    }
}
