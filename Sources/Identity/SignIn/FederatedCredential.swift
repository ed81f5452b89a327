/// What a client brings of another provider's word. Nothing in it has been checked.
public struct FederatedCredential: Sendable {
    public let provider: ProviderID
    public let idToken: Secret?
    /// The nonce as the app made it, before any hashing.
    public let rawNonce: String?
    /// The gateway made ``rawNonce``: it counts once, and nobody else can have made it.
    public internal(set) var nonceIsOurs = false
    /// Apple's, which it gives an app once.
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

/// A name that nobody vouches for: cleaned and cut, good for showing and for nothing else.
public struct PersonName: Hashable, Codable, Sendable {
    /// Of each part, in characters.
    public static let lengthLimit = 100

    public let given: String?
    public let family: String?

    /// - Returns: `nil` if nothing that can be shown is left.
    public init?(given: String?, family: String?) {
        self.given = given.flatMap(Self.cleaned)
        self.family = family.flatMap(Self.cleaned)
        guard self.given != nil || self.family != nil else { return nil }
    }

    /// Western order, as Firebase's clients build it.
    public var full: String { [given, family].compactMap { $0 }.joined(separator: " ") }

    /// Without control and formatting characters (the ones that turn text around among them), blanks run together.
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
