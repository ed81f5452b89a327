/// Why a token is not believed. Says nothing of its contents.
public enum JWSFault: Error, Equatable, CustomStringConvertible {
    case malformed
    case tooLong
    /// Neither ES256 nor RS256.
    case algorithmNotAllowed
    /// Carries `crit`: whatever it demands, we do not know it (RFC 7515 §4.1.11).
    case criticalHeader
    /// The key is for another algorithm than the header says.
    case keyDoesNotFit
    case signatureInvalid

    public var description: String {
        switch self {
        case .malformed: "not a JWS in compact form"
        case .tooLong: "token too long"
        case .algorithmNotAllowed: "signature algorithm not allowed"
        case .criticalHeader: "critical header not understood"
        case .keyDoesNotFit: "key does not fit the algorithm"
        case .signatureInvalid: "signature does not verify"
        }
    }
}
