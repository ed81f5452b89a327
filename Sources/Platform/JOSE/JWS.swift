public import Crypto
internal import Encoding
internal import JSON

/// Signs JSON Web Signatures.
public enum JWS {
    /// Returns a token in compact serialization (RFC 7515 §7.1), signed with the algorithm of the key.
    ///
    /// - Parameters:
    ///   - keyID: the header's `kid`.
    ///   - type: the header's `typ`; `nil` for a header without it.
    public static func sign(payload: [UInt8], keyID: String, type: String? = "JWT", with key: PrivateKey) throws
        -> String
    {
        let header = try header(algorithm: key.algorithm, keyID: keyID, type: type)
        let signingInput = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
        return try signingInput + "." + Base64URL.encode(key.sign(Array(signingInput.utf8)))
    }

    /// Builds the header as text, because ``StrictJSON`` would take a seventh of the time of an ES256 signature.
    private static func header(algorithm: SignatureAlgorithm, keyID: String, type: String?) throws -> String {
        let type = try type.map { try #","typ":\#(quoted($0))"# } ?? ""
        return try #"{"alg":"\#(algorithm.rawValue)","kid":\#(quoted(keyID))\#(type)}"#
    }

    private static func quoted(_ text: String) throws -> String {
        let needsNoEscape = text.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        return try needsNoEscape ? "\"\(text)\"" : StrictJSON.text(text)
    }
}

/// A signed token in compact serialization, parsed but not verified (RFC 7515 §7.1).
///
/// Keys in the header (`jwk`, `jku`, `x5u`) are ignored. The verifier gets the issuer's keys from a trusted source, or
/// verifies the path of ``certificates`` to a trusted root.
public struct UnverifiedJWS: Sendable {
    /// In bytes.
    public static let maximumLength = 16 * 1024

    public let algorithm: SignatureAlgorithm
    /// Selects one of the issuer's keys. Not verified.
    public let keyID: String?
    /// `typ`, for callers that distinguish kinds of tokens by it (RFC 8725 §3.11).
    public let type: String?
    /// `x5c`: the certificates of the signer in base64, the leaf first. Not verified; `nil` unless they are texts.
    public let certificates: [String]?

    private let signingInput: [UInt8]
    private let payload: [UInt8]
    private let signature: [UInt8]

    /// - Throws: ``JWSFault/tooLong`` above ``maximumLength``; ``JWSFault/malformed`` unless there are three non-empty
    ///   parts in base64url without padding, and the first is a strict JSON object with an `alg`;
    ///   ``JWSFault/criticalHeader`` if the header has `crit`; ``JWSFault/algorithmNotAllowed`` for an `alg` other than
    ///   ES256 and RS256, for example `none` (RFC 8725 §3.1).
    ///
    /// - Parameter maximumLength: in bytes.
    public init(parsing compact: String, maximumLength: Int = UnverifiedJWS.maximumLength) throws(JWSFault) {
        guard compact.utf8.count <= maximumLength else { throw .tooLong }
        let bytes = Array(compact.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard
            parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            let headerText = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        let header = try Self.header(headerText)
        guard !header.hasCrit else { throw .criticalHeader }
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm) else { throw .algorithmNotAllowed }
        self.algorithm = algorithm
        keyID = header.keyID
        type = header.type
        certificates = header.certificates
        signingInput = Array(bytes[..<parts[1].endIndex])
        self.payload = payload
        self.signature = signature
    }

    /// Verifies the signature and returns the payload.
    ///
    /// - Parameter key: the issuer's key, from a source that is trusted independently of the token.
    public func payload(verifiedWith key: PublicKey) throws(JWSFault) -> [UInt8] {
        guard key.algorithm == algorithm else { throw .keyMismatch }
        guard key.verifies(signature, of: signingInput) else { throw .signatureInvalid }
        return payload
    }

    /// The unverified `iss` claim, to find the keys of a known issuer.
    public var unverifiedIssuer: String? { unverified(Issuer.self)?.iss }

    /// Decodes the unverified payload, for example to select the key that verifies it.
    ///
    /// - Returns: `nil` if the payload is not strict JSON, or not a `Claims`.
    public func unverified<Claims: Decodable>(_ type: Claims.Type) -> Claims? {
        // The error does not matter: a caller that verifies the token decodes the payload again and gets the error.
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

/// The members of a JWS header that the gateway uses (RFC 7515 §4.1).
struct JOSEHeader: Decodable {
    let algorithm: String
    let keyID: String?
    let type: String?
    let certificates: [String]?
    /// Whether `crit` exists, regardless of its value.
    let hasCrit: Bool

    private enum CodingKeys: String, CodingKey {
        case algorithm = "alg"
        case keyID = "kid"
        case type = "typ"
        case certificates = "x5c"
        case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        algorithm = try members.decode(String.self, forKey: .algorithm)
        keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
        type = try members.decodeIfPresent(String.self, forKey: .type)
        // Only the App Store's tokens need them. A verifier rejects a token without them.
        certificates = try? members.decodeIfPresent([String].self, forKey: .certificates)
        hasCrit = members.contains(.critical)
    }
}

/// Why a token is rejected. Does not contain any part of the token.
public enum JWSFault: Error, Equatable, CustomStringConvertible {
    case malformed
    case tooLong
    /// Neither ES256 nor RS256.
    case algorithmNotAllowed
    /// The header has `crit`. No extensions are supported (RFC 7515 §4.1.11).
    case criticalHeader
    /// The key is for another algorithm than the one in the header.
    case keyMismatch
    case signatureInvalid

    public var description: String {
        switch self {
        case .malformed: "not a JWS in compact form"
        case .tooLong: "token too long"
        case .algorithmNotAllowed: "signature algorithm not allowed"
        case .criticalHeader: "the header contains crit, which is not supported"
        case .keyMismatch: "key is for another algorithm"
        case .signatureInvalid: "signature does not verify"
        }
    }
}
