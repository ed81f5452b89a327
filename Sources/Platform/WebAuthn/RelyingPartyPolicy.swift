internal import Encoding

/// What a relying party accepts in one ceremony.
public struct RelyingPartyPolicy: Sendable {
    /// Which pages may make the request in a frame (WebAuthn Level 3 §13.4.9).
    public enum Embedding: Sendable {
        /// Frames within pages of these origins, and frames of the page's own origin.
        case onlyIn(topOrigins: [String])
        /// Every page.
        case permitted
    }

    public var rpID: String
    /// Compared as bytes with the origin in the client data.
    public var origins: [String]
    /// Origins without a port, such as `http://localhost`, which are accepted with any port.
    public var originsWithAnyPort: [String]
    public var embedding: Embedding
    /// The algorithms that a new passkey may have.
    public var algorithms: [COSEAlgorithm]
    /// Conditional creation requires no user presence (§7.1).
    public var requiresUserPresence: Bool
    public var requiresUserVerification: Bool
    /// Whether an authentication must contain the user handle.
    public var requiresUserHandle: Bool

    public init(
        rpID: String, origins: [String], originsWithAnyPort: [String] = [],
        embedding: Embedding = .onlyIn(topOrigins: []), algorithms: [COSEAlgorithm] = COSEAlgorithm.offered,
        requiresUserPresence: Bool = true, requiresUserVerification: Bool = true, requiresUserHandle: Bool = true
    ) {
        self.rpID = rpID
        self.origins = origins
        self.originsWithAnyPort = originsWithAnyPort
        self.embedding = embedding
        self.algorithms = algorithms
        self.requiresUserPresence = requiresUserPresence
        self.requiresUserVerification = requiresUserVerification
        self.requiresUserHandle = requiresUserHandle
    }
}

extension RelyingPartyPolicy {
    func accepts(origin: String) -> Bool {
        origins.containsExactly(origin)
            || originsWithAnyPort.contains {
                origin.isExactly($0) || Self.isPort(origin.removingExactly(prefix: $0 + ":"))
            }
    }

    private static func isPort(_ text: String?) -> Bool {
        guard let text else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { digits.contains($0) }
    }
}
