/// Where a request comes from, as far as it matters to what is done.
public struct RequestContext: Hashable, Sendable {
    public let network: ClientNetwork
    /// What the client calls itself, for the list of sessions; at most ``deviceLimit`` characters.
    public let device: String?
    /// What it asks to be written to in; `nil` if it does not say, or asks for none we have.
    public let language: Language?
    /// For the audit trail.
    public let trace: RequestTrace

    /// In characters (graphemes).
    public static let deviceLimit = 200

    public init(network: ClientNetwork, device: String?, language: Language?, trace: RequestTrace) {
        self.network = network
        self.device = device.map { String($0.prefix(Self.deviceLimit)) }
        self.language = language
        self.trace = trace
    }
}

/// What mail and pages are written in. The raw value is a primary language subtag (RFC 5646 §2.2.1).
public enum Language: String, Codable, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"
}
