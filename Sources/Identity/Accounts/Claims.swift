/// A JSON object that goes into ID tokens: set on an account by an administrator, or on a session by a custom token.
///
/// Kept as text. The caller that parses it ensures that it is an object of at most 1000 characters without the names in
/// ``reserved``.
public struct Claims: Hashable, Sendable {
    public let json: String

    public init(json: String) {
        self.json = json
    }

    /// In characters.
    public static let lengthLimit = 1000

    /// Names that have a meaning of their own in tokens.
    public static let reserved: Set<String> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash", "sid",
    ]
}
