internal import CBOR
internal import Encoding

/// How far the authenticator's statement about a new credential was verified.
public enum Attestation: Sendable {
    /// The authenticator made no statement.
    case none
    /// The credential's own key signed the statement.
    case selfAttested
    /// The statement is in another format or has a certificate, which the gateway does not parse.
    case notVerified
}

/// What an authenticator returns for a new credential (WebAuthn Level 3 §6.5).
struct AttestationObject {
    let format: ByteText
    let statement: CBORValue
    let authenticatorData: [UInt8]

    init(parsing bytes: [UInt8]) throws(WebAuthnFault) {
        // The fault of the decoder does not matter, as in `AuthenticatorData`.
        guard
            let map = (try? CBOR.decode(bytes))?.map, let format = map["fmt"]?.text,
            let statement = map["attStmt"], let authenticatorData = map["authData"]?.bytes
        else { throw .attestationObjectMalformed }
        self.format = format
        self.statement = statement
        self.authenticatorData = authenticatorData
    }

    /// Steps 21 to 24 of a registration.
    ///
    /// - Parameters:
    ///   - key: of the new credential.
    ///   - clientDataDigest: SHA-256 of the client data.
    func verify(with key: COSEKey, clientDataDigest: [UInt8]) throws(WebAuthnFault) -> Attestation {
        switch format {
        case "none":
            guard statement == .map([:]) else { throw .attestationInvalid }
            return .none
        case "packed":
            guard let map = statement.map else { throw .attestationInvalid }
            guard map["x5c"] == nil else { return .notVerified }
            guard
                map.count == 2, map["alg"] == .integer(Int64(key.algorithm.rawValue)),
                let signature = map["sig"]?.bytes,
                key.verifies(signature, of: authenticatorData + clientDataDigest)
            else { throw .attestationInvalid }
            return .selfAttested
        default:
            return .notVerified
        }
    }
}
