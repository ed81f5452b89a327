/// Stores the listeners of projects, and records every change in the audit trail of the project.
public protocol EventEndpointStore: Sendable {
    /// In the order of IDs.
    func endpoints(of project: ID<Project>) async throws -> [EventEndpoint]
    /// - Throws: ``StoreConflict/taken(_:)`` for the ID; ``EventEndpointRefusal/tooMany``.
    func create(
        _ endpoint: EventEndpoint, secret: [UInt8], by actor: AuditActor, of project: ID<Project>) async throws
    /// Stores the URL and the kinds.
    ///
    /// - Returns: `false` if the endpoint does not exist.
    func update(
        _ endpoint: EventEndpoint, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws -> Bool
    func delete(
        _ id: ID<EventEndpoint>, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws -> Bool
    func replaceSecret(
        of id: ID<EventEndpoint>, by sealed: [UInt8], keepingFormerUntil end: Instant?, by actor: AuditActor,
        at now: Instant, of project: ID<Project>
    ) async throws -> Bool
    func enable(
        _ id: ID<EventEndpoint>, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws -> Bool
    func replay(
        _ replay: EventReplay, to endpoint: EventEndpoint, by actor: AuditActor, at now: Instant,
        of project: ID<Project>
    ) async throws -> Int
    /// The deliveries to an endpoint whose events have higher numbers than `sequence`, in their order.
    func deliveries(
        to id: ID<EventEndpoint>, state: EndpointDelivery.State?, after sequence: Int64, limit: Int,
        of project: ID<Project>
    ) async throws -> [EndpointDelivery]
    /// The events after `sequence`; those of all kinds that the project records if `kinds` is `nil`.
    func events(
        after sequence: Int64, kinds: Set<AccountEvent.Kind>?, limit: Int, of project: ID<Project>
    ) async throws -> EventPage
    /// The number of the project's latest event; 0 without events.
    func lastSequence(of project: ID<Project>) async throws -> Int64
}

public enum EventEndpointRefusal: Refusal, Hashable {
    case notFound
    case exists
    case invalidID
    case invalidURL
    case unknownKind
    case unknownInclusion
    case invalidOverlap
    case hasNoURL
    case tooMany
    /// A test of the project is in flight, or the gateway sends as many events as it can.
    case tooManyTests
    /// The feed no longer has the events after the requested number.
    case eventsExpired

    public var code: ErrorCode {
        switch self {
        case .notFound: .configurationNotFound
        case .exists: .configurationExists
        case .eventsExpired: .eventsExpired
        case .tooManyTests: .tooManyAttemptsTryLater
        case .invalidID, .invalidURL, .unknownKind, .unknownInclusion, .invalidOverlap, .hasNoURL, .tooMany:
            .invalidArgument
        }
    }

    public var detail: String? {
        switch self {
        case .notFound, .exists: nil
        case .invalidID:
            "eventEndpointId must have 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning."
        case .invalidURL:
            "url must be an absolute https URL of at most 2048 characters, without user name and fragment."
        case .unknownKind: "kinds must contain kinds of events, such as account.created."
        case .unknownInclusion: "include must be [\"profile\"] or empty."
        case .invalidOverlap: "overlapSeconds must be from 0 to 604800."
        case .hasNoURL: "The endpoint has no url."
        case .tooMany: "A project can have at most \(EventEndpoint.countLimit) event endpoints."
        case .tooManyTests: "Wait for the response of the previous test event, and try again."
        case .eventsExpired: "Read the accounts again, then continue after lastSequence."
        }
    }
}
