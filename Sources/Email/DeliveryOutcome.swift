public import EventLoop
public import Identity
public import SMTP

/// The outcome of one attempt to deliver an email, for logs and metrics. Contains no address.
public enum DeliveryOutcome: Hashable, Sendable {
    case sent
    /// The email was not sent, because its code is no longer valid, or no account has the address.
    case dropped
    case postponed(until: Instant, DeliveryFailure)
    case givenUp(DeliveryFailure)
    /// A database error prevented the attempt, or the storage of its result. A worker claims the email again when its
    /// lease (the time for which the current claim hides it from other workers) has ended.
    case interrupted(cause: String)
}

/// Why an email was not sent.
public enum DeliveryFailure: Error, Hashable, CustomStringConvertible {
    case smtp(DeliveryError)
    case unknownProject
    /// The payload was encrypted under another master key, or is damaged.
    case undecryptable
    /// An email of this kind needs a link, and the payload has no code for it.
    case missingCode
    /// Apple's relay does not forward email to the recipient.
    case relayStopped
    /// The email gives access to an account, but the provider has disabled the recipient's account there.
    case mailboxSuspended

    /// The text for logs and for the column `failure`, which operators read.
    public var description: String {
        switch self {
        case .smtp(let error): error.description
        case .unknownProject: "the project does not exist"
        case .undecryptable: "the payload cannot be decrypted"
        case .missingCode: "the payload has no code"
        case .relayStopped: "the relay address forwards no email"
        case .mailboxSuspended: "the provider has disabled the account of the mailbox"
        }
    }
}

extension RetryBackoff {
    /// The delays after failed deliveries: from 30 seconds to an hour, plus or minus 25 percent.
    public static let delivery = RetryBackoff(from: .seconds(30), to: .seconds(3600), jitter: 0.75...1.25)
}
