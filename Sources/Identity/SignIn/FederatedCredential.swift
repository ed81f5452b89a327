/// A provider's credential as the client sent it, unchecked.
public struct FederatedCredential: Sendable {
    public let provider: ProviderID
    public let idToken: Secret?
    /// The nonce of the app, before hashing.
    public let rawNonce: String?
    /// Whether the gateway issued ``rawNonce``: it is single-use, and no other party can have generated it.
    public internal(set) var nonceIsOurs = false
    /// The name from Apple, which Apple sends an app only once.
    public let name: PersonName?

    public init(
        provider: ProviderID, idToken: Secret?, rawNonce: String? = nil,
        name: PersonName? = nil
    ) {
        self.provider = provider
        self.idToken = idToken
        self.rawNonce = rawNonce
        self.name = name
    }
}

/// An unverified name, cleaned and truncated, for display only.
public struct PersonName: Hashable, Codable, Sendable {
    /// Of each part, in characters.
    public static let lengthLimit = 100

    public let given: String?
    public let family: String?

    /// - Returns: `nil` if no printable character is left.
    public init?(given: String?, family: String?) {
        self.given = given.flatMap(Self.cleaned)
        self.family = family.flatMap(Self.cleaned)
        guard self.given != nil || self.family != nil else { return nil }
    }

    /// Western order, as Firebase's clients build it.
    public var full: String { [given, family].compactMap { $0 }.joined(separator: " ") }

    /// Without control and formatting characters (such as those that change the text direction); adjacent spaces are
    /// merged.
    private static func cleaned(_ text: String) -> String? {
        let visible = text.unicodeScalars.prefix(4 * lengthLimit).map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: " "
            default: Character(scalar)
            }
        }
        let words = String(visible).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let cut = String(words.prefix(lengthLimit))
        return cut.isEmpty ? nil : cut
    }
}
