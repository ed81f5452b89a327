/// What an operation of administrators needs: the scope of the caller, and whether a person must have proven both
/// factors recently. Each operation states it once, where it is declared.
public struct OperationNeeds: Hashable, Sendable {
    public let scope: ServiceKeyScope
    /// Whether a person who uses the console needs a proof of both factors of the last five minutes. A service key
    /// proves nothing, so it needs none.
    public let recentProof: Bool

    private init(_ scope: ServiceKeyScope, recentProof: Bool) {
        self.scope = scope
        self.recentProof = recentProof
    }

    private init(_ scope: ServiceKeyScope) {
        self.init(scope, recentProof: scope.needsRecentProof)
    }
}

extension OperationNeeds {
    public static let readUsers = OperationNeeds(.readUsers)
    public static let writeUsers = OperationNeeds(.writeUsers)
    public static let supportUsers = OperationNeeds(.supportUsers)
    public static let linkUsers = OperationNeeds(.linkUsers)
    public static let config = OperationNeeds(.config)
    public static let readConfig = OperationNeeds(.readConfig)
    public static let trust = OperationNeeds(.trust)
    public static let mintTokens = OperationNeeds(.mintTokens)
    public static let readAudit = OperationNeeds(.readAudit)
    public static let readEvents = OperationNeeds(.readEvents)
    public static let writeAdministrators = OperationNeeds(.writeAdministrators)

    /// The same needs and a recent proof, for an operation that reads or removes more than others with the scope.
    public var withRecentProof: OperationNeeds { OperationNeeds(scope, recentProof: true) }
}

extension ServiceKeyScope {
    /// Whether a person needs a recent proof of both factors to have the scope. With such a scope, the person can act
    /// as any user, or change who is believed. An account with a new address belongs to the owner of that mailbox after
    /// a password reset.
    public var needsRecentProof: Bool {
        switch self {
        case .writeUsers, .linkUsers, .trust, .mintTokens, .writeAdministrators: true
        case .readUsers, .supportUsers, .config, .readConfig, .readAudit, .readEvents: false
        }
    }
}
