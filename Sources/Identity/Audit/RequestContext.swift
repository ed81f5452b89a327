/// The parts of a request's origin that services need.
public struct RequestContext: Hashable, Sendable {
    public let network: ClientNetwork
    /// The user agent, for the list of sessions; at most ``deviceLimit`` characters.
    public let device: String?
    /// The requested language; `nil` if the request names none that is supported.
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

/// The language of emails and pages. The raw value is a primary language subtag (RFC 5646 §2.2.1).
public enum Language: String, Codable, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"
}
