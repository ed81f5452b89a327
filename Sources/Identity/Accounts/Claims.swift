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

extension Claims {
    /// Whether a claim of that name could be mistaken for one of ``reserved``, also by readers that ignore case.
    public static func isReserved(_ name: String) -> Bool { reserved.contains(folded(name)) }

    /// The same text for all names that such a reader treats as equal. Upper case is applied first, because some
    /// letters, such as the long s, become ASCII only then.
    public static func folded(_ name: String) -> String { name.uppercased().lowercased() }

    /// - Returns: the first, in the order of the alphabet, so that answers do not vary.
    public static func firstReserved(among names: some Sequence<String>) -> String? {
        names.filter(isReserved).min()
    }
}
