internal import API
package import Crypto
internal import Encoding
internal import FoundationEssentials
internal import HTTP
package import Identity
internal import Storage
package import Webhooks

/// Sends events to the servers of operators.
package struct EventSender: Sendable {
    /// The time limit of one request.
    static let deadline: Duration = .seconds(15)
    /// The maximum number of requests in flight to fast and to slow endpoints. Slow endpoints have slots of their own,
    /// so that they do not delay fast ones.
    static let (capacity, slowCapacity) = (48, 16)

    private let slots = EventSlots(count: capacity, perProject: capacity / 3)
    private let slowSlots = EventSlots(count: slowCapacity, perProject: slowCapacity / 3)
    private let call: SignedCall
    private let masterKeys: MasterKeys
    private let clock: WallClock

    package init(_ call: SignedCall, masterKeys: MasterKeys, clock: WallClock) {
        self.call = call
        self.masterKeys = masterKeys
        self.clock = clock
    }

    /// Returns a new secret for an endpoint, with its encrypted form.
    static func newSecret(
        of endpoint: ID<EventEndpoint>, in project: ID<Project>, under masterKeys: MasterKeys
    ) throws -> (text: Secret, sealed: [UInt8]) {
        let text = WebhookSecret.generate().expose()
        let sealed = try SealedBox(keys: masterKeys).seal(
            Array(text.utf8), context: context(of: endpoint, in: project))
        return (Secret(text), sealed)
    }

    /// The row that the ciphertext of a secret is bound to. A rotation moves a secret to another column of the row.
    static func context(of endpoint: ID<EventEndpoint>, in project: ID<Project>) -> String {
        "event_endpoint/\(project)/\(endpoint)/secret"
    }

    /// The outcome of an attempt, and the duration of its request.
    struct Sent: Sendable {
        let outcome: EventDeliveryOutcome
        let duration: Duration
    }

    /// Waits for a slot, then sends `event`.
    ///
    /// - Parameters:
    ///   - readAccount: reads the account whose profile the event contains.
    ///   - isSlow: whether the endpoint was slow the last time.
    func send(
        _ event: StoredEvent, to target: EventDispatchStore.Target, isSlow: Bool,
        readAccount: @Sendable () async throws -> Account?
    ) async throws -> Sent {
        let slots = isSlow ? slowSlots : slots
        await slots.take(for: target.key.project)
        let began = ContinuousClock.now
        let result = await Result(catching: {
            let account: Account? = if target.endpoint.includesProfile { try await readAccount() } else { nil }
            return try await send(EventResource(event, profileOf: account).json(), id: event.id, to: target)
        })
        await slots.giveBack(of: target.key.project)
        return Sent(outcome: try result.get(), duration: began.duration(to: .now))
    }

    /// - Throws: ``EventEndpointRefusal/tooManyTests`` if no slot is free, because a test must not delay events, or if
    ///   the project has a test in flight.
    func sendTest(to target: EventDispatchStore.Target) async throws -> EventDeliveryOutcome {
        let (id, now) = (UUIDText.text(UUID()), clock.now())
        let project = target.key.project
        guard await slowSlots.takeForTest(of: project) else { throw EventEndpointRefusal.tooManyTests }
        let result = await Result(catching: {
            try await send(EventResource.test(id, of: project, at: now).json(), id: id, to: target)
        })
        await slowSlots.giveBackTest(of: project)
        return try result.get()
    }

    /// - Throws: `CancellationError`, or an error of the master key.
    private func send(
        _ body: [UInt8], id: String, to target: EventDispatchStore.Target
    ) async throws -> EventDeliveryOutcome {
        let now = clock.now()
        let signature = WebhookSignature(of: body, id: id, at: now.seconds, secrets: try secrets(of: target, at: now))
        do {
            let response = try await call.post(
                body, to: target.url.rawValue, signature: signature, deadline: Self.deadline,
                maximumResponseBytes: 4096, cutsLongResponse: true)
            guard (200...299).contains(response.status) else {
                return .failed(.status(response.status, retryAfter: response.headers.retryAfter))
            }
            return .delivered(status: response.status)
        } catch let fault as ClientFault {
            return .failed(EventDeliveryFailure(fault))
        }
    }

    /// The secrets that sign now, the current one first.
    private func secrets(of target: EventDispatchStore.Target, at now: Instant) throws -> [WebhookSecret] {
        let previous = target.previousSecretExpiresAt.map { now < $0 } == true ? target.previousSecret : nil
        let context = Self.context(of: target.key.endpoint, in: target.key.project)
        return try [target.secret, previous].compactMap(\.self).compactMap { sealed in
            WebhookSecret(
                String(decoding: try SealedBox(keys: masterKeys).open(sealed, context: context), as: UTF8.self))
        }
    }
}

extension Headers {
    /// The delay that the header `Retry-After` states in seconds; `nil` without one, and for a date.
    fileprivate var retryAfter: Duration? {
        self["Retry-After"].flatMap { Int($0) }.flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }
}

extension EventDeliveryFailure {
    fileprivate init(_ fault: ClientFault) {
        self =
            switch fault {
            case .destinationNotAllowed, .invalidURL: .destinationNotAllowed
            case .timedOut: .timedOut
            case .tlsFailed: .tlsFailed
            case .unknownHost, .unreachable, .connectionLost, .overloaded, .notWatched, .closed: .unreachable
            case .invalidHeader, .tooLarge, .protocolError: .protocolError
            }
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
