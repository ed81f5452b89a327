/// An email of the queue as operators see it, without addresses and contents.
public struct ListedEmail: Sendable {
    public let id: ID<OutgoingEmail>
    public let realm: ID<Realm>
    public let kind: String
    public let createdAt: Instant
    /// The time of the next attempt to send the email.
    public let dueAt: Instant
    public let attempts: Int
    /// The error of the latest failed attempt, without addresses.
    public let failure: String?
    /// When the worker gave up sending; `nil` while the email waits to be sent.
    public let givenUpAt: Instant?

    public init(
        id: ID<OutgoingEmail>, realm: ID<Realm>, kind: String, createdAt: Instant, dueAt: Instant, attempts: Int,
        failure: String?, givenUpAt: Instant?
    ) {
        self.id = id
        self.realm = realm
        self.kind = kind
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.attempts = attempts
        self.failure = failure
        self.givenUpAt = givenUpAt
    }
}
