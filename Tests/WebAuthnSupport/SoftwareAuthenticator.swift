public import CBOR
internal import Encoding
internal import JSON

@testable public import Crypto

/// An authenticator with one passkey, and the client that uses it. Begins honest; a test changes a property to attack.
public struct SoftwareAuthenticator: Sendable {
    /// The flags of the authenticator data (WebAuthn Level 3 §6.1).
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let userPresent = Flags(rawValue: 1 << 0)
        public static let userVerified = Flags(rawValue: 1 << 2)
        public static let backupEligible = Flags(rawValue: 1 << 3)
        public static let backedUp = Flags(rawValue: 1 << 4)
        public static let attestedCredentialData = Flags(rawValue: 1 << 6)
        public static let extensionData = Flags(rawValue: 1 << 7)
    }

    public enum Statement: Sendable {
        case none
        case selfAttested
        /// Any other format and statement.
        case other(format: String, CBORValue)
    }

    /// The members of `response` and `id` of a RegistrationResponseJSON, decoded.
    public struct Registration: Sendable {
        public var id: [UInt8]
        public var clientDataJSON: [UInt8]
        public var attestationObject: [UInt8]
    }

    /// The members of `response` and `id` of an AuthenticationResponseJSON, decoded.
    public struct Authentication: Sendable {
        public var id: [UInt8]
        public var clientDataJSON: [UInt8]
        public var authenticatorData: [UInt8]
        public var signature: [UInt8]
        public var userHandle: [UInt8]?
    }

    public var rpID: String
    public var origin: String
    public var crossOrigin: Bool? = false
    public var topOrigin: String?
    /// Of both ceremonies, without ``Flags/attestedCredentialData``.
    public var flags: Flags = [.userPresent, .userVerified, .backupEligible, .backedUp]
    public var signCount: UInt32 = 0
    public var aaguid = [UInt8](repeating: 0, count: 16)
    public var credentialID: [UInt8]
    public var statement = Statement.none
    /// The COSE key that ``register(challenge:)`` presents.
    public var publicKey: CBORValue
    /// What follows the other parts of the authenticator data.
    public var extensionData: [UInt8] = []
    /// The types in the client data.
    public var registrationType = "webauthn.create"
    public var authenticationType = "webauthn.get"
    private let key: PrivateKey

    /// Generates an ES256 key.
    public init(rpID: String, origin: String, credentialID: [UInt8] = Random.bytes(32)) throws {
        self.rpID = rpID
        self.origin = origin
        self.credentialID = credentialID
        key = try PrivateKey.generate(.es256)
        publicKey = Self.coseKey(of: key.publicKey)
    }

    /// Creates the passkey.
    public func register(challenge: [UInt8]) throws -> Registration {
        let clientDataJSON = try clientData(type: registrationType, challenge: challenge)
        let authenticatorData = registrationData
        let (format, statement): (String, CBORValue) =
            switch self.statement {
            case .none: ("none", .map([:]))
            case .selfAttested:
                (
                    "packed",
                    .map([
                        "alg": .integer(-7),
                        "sig": .bytes(try sign(authenticatorData + Digest.sha256(clientDataJSON))),
                    ])
                )
            case .other(let format, let statement): (format, statement)
            }
        let object = CBORValue.map([
            "fmt": .text(ByteText(format)), "attStmt": statement, "authData": .bytes(authenticatorData),
        ])
        return Registration(
            id: credentialID, clientDataJSON: clientDataJSON, attestationObject: CBOREncoder.encode(object))
    }

    /// Signs in with the passkey.
    public func authenticate(challenge: [UInt8], userHandle: [UInt8]?) throws -> Authentication {
        let clientDataJSON = try clientData(type: authenticationType, challenge: challenge)
        let authenticatorData = authenticatorData(flags: flags) + extensionData
        return Authentication(
            id: credentialID, clientDataJSON: clientDataJSON, authenticatorData: authenticatorData,
            signature: try sign(authenticatorData + Digest.sha256(clientDataJSON)), userHandle: userHandle)
    }

    /// The authenticator data of a registration.
    public var registrationData: [UInt8] {
        authenticatorData(flags: flags.union(.attestedCredentialData)) + aaguid
            + [UInt8(truncatingIfNeeded: credentialID.count >> 8), UInt8(truncatingIfNeeded: credentialID.count)]
            + credentialID + CBOREncoder.encode(publicKey) + extensionData
    }

    private func authenticatorData(flags: Flags) -> [UInt8] {
        Digest.sha256(Array(rpID.utf8)) + [flags.rawValue]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: signCount >> $0) }
    }

    private func clientData(type: String, challenge: [UInt8]) throws -> [UInt8] {
        var members: JSONObject = [
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(origin),
        ]
        members["crossOrigin"] = crossOrigin.map { .bool($0) }
        members["topOrigin"] = topOrigin.map { .string($0) }
        return try StrictJSON.encode(JSONValue.object(members))
    }

    /// - Returns: DER.
    private func sign(_ message: [UInt8]) throws -> [UInt8] {
        guard let signature = ECDSASignature.der(fromRaw: try key.sign(message)) else {
            throw LibraryFault("i2d_ECDSA_SIG")
        }
        return signature
    }

    private static func coseKey(of key: PublicKey) -> CBORValue {
        guard case .ec(let x, let y) = key.parts else { return .null }
        return .map([1: .integer(2), 3: .integer(-7), -1: .integer(1), -2: .bytes(x), -3: .bytes(y)])
    }
}
