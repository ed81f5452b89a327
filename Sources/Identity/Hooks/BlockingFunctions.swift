/// The blocking functions of a project: servers of the operator that may refuse or change sign-ups and sign-ins, and
/// refuse emails and text messages. Tenants use those of their project.
public struct BlockingFunctions: Hashable, Sendable {
    public enum Event: String, Hashable, Sendable, CaseIterable, Comparable {
        case beforeCreate, beforeSignIn, beforeSendEmail, beforeSendSms

        public static func < (left: Event, right: Event) -> Bool { left.rawValue < right.rawValue }

        /// Whether the function learns which account signs in, and may change it.
        public var concernsAccount: Bool { self == .beforeCreate || self == .beforeSignIn }
    }

    public var triggers: [Event: CallbackURL] = [:]
    /// Which tokens of a provider the functions get.
    public var forwardsIDToken = false
    public var forwardsAccessToken = false
    public var forwardsRefreshToken = false

    public init() {}
}

extension BlockingFunctions {
    public var isEmpty: Bool { self == BlockingFunctions() }

    /// Whether a function is asked before sign-ins.
    var concernSignIns: Bool { triggers[.beforeCreate] != nil || triggers[.beforeSignIn] != nil }
}
