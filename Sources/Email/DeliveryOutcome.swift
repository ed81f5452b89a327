public import Identity
public import SMTP

/// What became of one try to send a letter, for those who watch. Names no address.
public enum DeliveryOutcome: Hashable, Sendable {
    case sent
    /// Its code is void: nobody needs it any more.
    case dropped
    case postponed(until: Instant, Failure)
    case givenUp(Failure)
    /// The database could not be asked, or told: the letter is tried again when its lease is over.
    case interrupted
}

/// Why a letter was not sent.
public enum Failure: Hashable, Sendable, CustomStringConvertible {
    case obstacle(DeliveryError)
    case projectIsGone
    /// Sealed under another master key, or damaged.
    case unreadable
    /// There should be a link, and there is no code for it.
    case codeIsMissing

    /// For logs, and for the operator in the row of the letter.
    public var description: String {
        switch self {
        case .obstacle(let obstacle): obstacle.description
        case .projectIsGone: "no such project"
        case .unreadable: "the letter cannot be opened"
        case .codeIsMissing: "the letter has no code"
        }
    }
}
