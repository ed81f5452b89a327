/// Why a token is rejected. Contains nothing of the token.
public enum JWSFault: Error, Equatable, CustomStringConvertible {
    case malformed
    case tooLong
    /// Neither ES256 nor RS256.
    case algorithmNotAllowed
    /// The header has `crit` with extensions that we do not support (RFC 7515 §4.1.11).
    case criticalHeader
    /// The key is for another algorithm than the header's.
    case keyDoesNotFit
    case signatureInvalid

    public var description: String {
        switch self {
        case .malformed: "not a JWS in compact form"
        case .tooLong: "token too long"
        case .algorithmNotAllowed: "signature algorithm not allowed"
        case .criticalHeader: "critical header not understood"
        case .keyDoesNotFit: "key is for another algorithm"
        case .signatureInvalid: "signature does not verify"
        }
    }
}
