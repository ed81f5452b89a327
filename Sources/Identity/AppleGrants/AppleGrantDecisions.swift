/// The decision after an attempt to exchange a grant's authorization code for tokens. A grant is a code or token of
/// Apple that the gateway has stored.
public enum CodeExchangeDecision: Hashable, Sendable {
    /// The refresh token is stored.
    case keep
    case retry(reason: String)
    /// The grant is deleted, because no later exchange of this code can succeed.
    case giveUp(reason: String)

    /// - Parameter subject: the subject of the identity whose sign-in sent the code; `nil` if the identity was unlinked
    ///   in the meantime.
    public init(_ exchange: AppleExchange, for subject: String?) {
        self =
            switch exchange {
            case .tokens(let tokens):
                subject == nil || tokens.subject == subject
                    ? .keep : .giveUp(reason: "the code belongs to another user")
            case .rejected(let code) where !code.isConfigurationFault: .giveUp(reason: code.rawValue)
            // An operator may correct the key while the code is valid.
            case .rejected, .unavailable: .retry(reason: "\(exchange.response)")
            }
    }
}

extension RecordedCheck {
    /// Only Apple's report about the token changes the state of a grant. A wrong key, an outage or a network error does
    /// not.
    public init(_ response: AppleResponse) {
        self =
            switch response {
            case .accepted: .authorized
            case .rejected(.invalidGrant), .rejected(.invalidRequest): .revoked(failure: "\(response)")
            case .rejected, .unavailable: .failed(failure: "\(response)")
            }
    }

    /// The result that is recorded if too many checks of the client ID's grants fail. Apple's report of a revocation is
    /// then not trusted, so it is recorded as a failed check.
    var withRevocationAsFailure: RecordedCheck {
        switch self {
        case .revoked(let failure): .failed(failure: failure)
        case .authorized, .failed: self
        }
    }

    /// Whether the check counts as failed in ``CheckCounts``. A revocation counts as failed too, because many
    /// revocations at once indicate a wrong configuration or a fault of Apple.
    public var isFailure: Bool { self != .authorized }
}

/// The results of a group of daily checks of grants, all of one client ID, evaluated together with the earlier checks
/// of the last hour.
public struct CheckBatch: Sendable {
    /// The results to record. If ``stopsChecks`` is true, revocations are recorded as failed checks.
    public let results: [ID<AppleGrant>: RecordedCheck]
    /// Whether the checks of the client ID stop; see ``CheckCounts/stopsChecks``.
    public let stopsChecks: Bool
    /// The checks of the last hour, including these.
    public let counts: CheckCounts

    /// - Parameter earlier: the checks of the last hour, excluding these.
    public init(_ results: [ID<AppleGrant>: RecordedCheck], after earlier: CheckCounts) {
        let failed = results.values.count(where: \.isFailure)
        counts = CheckCounts(all: earlier.all + results.count, failed: earlier.failed + failed)
        stopsChecks = counts.stopsChecks
        self.results = stopsChecks ? results.mapValues(\.withRevocationAsFailure) : results
    }
}

/// Whether the deletion of an account disconnects the app from the Apple Account.
public enum AppleRevocation: String, CaseIterable, Sendable {
    /// The deletion marks the tokens of the identity to be revoked at Apple.
    case queued = "QUEUED"
    /// The gateway has no token or no private key. The user can disconnect the app in the settings of a device.
    case notPossible = "NOT_POSSIBLE"
    /// There is nothing to revoke: the account has no Apple identity, or the user has already disconnected the app.
    case none = "NONE"

    /// - Parameters:
    ///   - identity: the Apple identity of the account.
    ///   - grants: the states of the identity's grants.
    ///   - hasPrivateKey: whether the project has a private key for Apple, with its team and key ID.
    public init(of identity: LinkedIdentity, grants: Set<AppleGrant.State>, hasPrivateKey: Bool) {
        if !grants.isDisjoint(with: [.redeeming, .authorized, .unknown, .revoking]) {
            self = hasPrivateKey ? .queued : .notPossible
        } else {
            self = identity.credential?.state == .revoked ? .none : .notPossible
        }
    }
}
