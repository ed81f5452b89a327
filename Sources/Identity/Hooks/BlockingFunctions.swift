/// The blocking functions of a project: servers of the operator that may refuse or change a sign-up or a sign-in.
public struct BlockingFunctions: Hashable, Sendable {
    public enum Event: String, Hashable, Sendable, CaseIterable, Comparable {
        case beforeCreate, beforeSignIn, beforeSendEmail

        public static func < (left: Event, right: Event) -> Bool { left.rawValue < right.rawValue }
    }

    public var triggers: [Event: CallbackURL] = [:]
    /// Which tokens of a provider the functions get.
    public var forwardsIDToken = false
    public var forwardsAccessToken = false
    public var forwardsRefreshToken = false

    public init() {}
}

extension BlockingFunctions {
    public var isEmpty: Bool { triggers.isEmpty }
}
