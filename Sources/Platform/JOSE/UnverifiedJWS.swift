public import Crypto
internal import JSON

/// A signed token in compact form, split but not yet believed (RFC 7515 §7.1).
///
/// Keys that the header offers or points at (`jwk`, `x5c`, `jku`, `x5u`) are ignored: the verifier knows where the
/// issuer keeps its keys.
public struct UnverifiedJWS: Sendable {
    /// In bytes.
    public static let maximumLength = 16 * 1024

    public let algorithm: SignatureAlgorithm
    /// Chooses among the issuer's keys; proves nothing.
    public let keyID: String?
    /// `typ`, for those who tell kinds of tokens apart by it (RFC 8725 §3.11).
    public let type: String?

    private let signingInput: [UInt8]
    private let payload: [UInt8]
    private let signature: [UInt8]

    /// - Throws: ``JWSFault/malformed`` unless there are three parts in base64url without padding, none empty, the
    ///   first a strict JSON object; ``JWSFault/algorithmNotAllowed`` for anything but ES256 and RS256, `none`
    ///   included (RFC 8725 §3.1).
    public init(parsing compact: String) throws(JWSFault) {
        guard compact.utf8.count <= Self.maximumLength else { throw .tooLong }
        let bytes = Array(compact.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard
            parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            let headerText = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        let header = try Self.header(headerText)
        guard !header.isCritical else { throw .criticalHeader }
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm) else { throw .algorithmNotAllowed }
        self.algorithm = algorithm
        keyID = header.keyID
        type = header.type
        signingInput = Array(bytes[..<parts[1].endIndex])
        self.payload = payload
        self.signature = signature
    }

    /// The only way to what the token says.
    ///
    /// - Parameter key: the issuer's, from a source that is trusted without the token.
    public func payload(verifiedWith key: PublicKey) throws(JWSFault) -> [UInt8] {
        guard key.algorithm == algorithm else { throw .keyDoesNotFit }
        guard key.verifies(signature, of: signingInput) else { throw .signatureInvalid }
        return payload
    }

    /// What the token says its `iss` is, if it says so in strict JSON: for finding the keys of a known issuer.
    public var unverifiedIssuer: String? { unverified(Issuer.self)?.iss }

    /// What the payload says, as far as it is strict JSON; for finding out who is to verify it.
    public func unverified<Claims: Decodable>(_ type: Claims.Type) -> Claims? {
        // A payload that cannot be read says nothing; verifying it is somebody else's errand.
        try? StrictJSON.decode(type, from: payload)
    }

    private struct Issuer: Decodable {
        let iss: String
    }

    private static func header(_ text: [UInt8]) throws(JWSFault) -> JOSEHeader {
        do {
            return try StrictJSON.decode(JOSEHeader.self, from: text)
        } catch {
            throw .malformed
        }
    }
}
