internal import Encoding

/// Configures the listeners of a project's events, and shows what they received.
public struct EventEndpoints: Sendable {
    /// How long after its creation a listener may miss events, because processes still have the earlier configuration.
    public static let propagation: Duration = .seconds(10)
    /// How long a replaced secret still signs, unless the request says otherwise.
    public static let defaultOverlap: Duration = .seconds(24 * 3600)
    public static let overlaps: ClosedRange<Int> = 0...(7 * 24 * 3600)

    public let store: any EventEndpointStore
    /// Returns a new secret: its text, and its encrypted form for the endpoint.
    private let newSecret: @Sendable (ID<EventEndpoint>, ID<Project>) throws -> (text: Secret, sealed: [UInt8])
    /// Sends a test event, without storing anything.
    private let sendTest: @Sendable (ID<EventEndpoint>, ID<Project>) async throws -> EventDeliveryOutcome?
    /// Whether the URL of an endpoint may use http on this machine.
    private let allowsLoopback: Bool
    /// Whether the process shuts down, so that readers of the feed wait no longer.
    public let isDraining: @Sendable () -> Bool
    private let onChange: @Sendable () -> Void
    private let clock: WallClock

    public init(
        store: any EventEndpointStore,
        newSecret: @escaping @Sendable (ID<EventEndpoint>, ID<Project>) throws -> (text: Secret, sealed: [UInt8]),
        sendTest: @escaping @Sendable (ID<EventEndpoint>, ID<Project>) async throws -> EventDeliveryOutcome?,
        allowsLoopback: Bool, isDraining: @escaping @Sendable () -> Bool = { false },
        onChange: @escaping @Sendable () -> Void, clock: WallClock
    ) {
        self.store = store
        self.newSecret = newSecret
        self.sendTest = sendTest
        self.allowsLoopback = allowsLoopback
        self.isDraining = isDraining
        self.onChange = onChange
        self.clock = clock
    }

    /// What an endpoint is created with, and what an update changes.
    public struct Input: Sendable {
        /// `nil`: unchanged. An empty text: none.
        public var url: String?
        /// `nil`: unchanged. An empty list: all ordinary kinds.
        public var kinds: [String]?
        /// `nil`: unchanged. What events contain besides IDs: `profile`, or nothing.
        public var include: [String]?

        public init(url: String? = nil, kinds: [String]? = nil, include: [String]? = nil) {
            self.url = url
            self.kinds = kinds
            self.include = include
        }

        /// Whether the endpoint gets profiles after the change, so that who makes it must be allowed to read them.
        public func includesProfile(after current: EventEndpoint?) -> Bool {
            include.map { !$0.isEmpty } ?? current?.includesProfile ?? false
        }
    }

    /// A created endpoint with its secret, which cannot be read again.
    public struct Created: Sendable {
        public let endpoint: EventEndpoint
        public let secret: Secret
        /// From this time on, the endpoint gets every event.
        public let completeFrom: Instant
    }

    /// - Throws: ``EventEndpointRefusal``.
    public func create(
        _ id: ID<EventEndpoint>, _ input: Input, by actor: AuditActor, of project: ID<Project>
    ) async throws -> Created {
        guard EventEndpoint.isValid(id) else { throw EventEndpointRefusal.invalidID }
        let now = clock.now()
        var endpoint = EventEndpoint(id: id, url: nil, kinds: nil, createdAt: now)
        try apply(input, to: &endpoint)
        let secret = try newSecret(id, project)
        let created = endpoint
        try await mappingConflicts(to: { $0 == .taken(.id) ? EventEndpointRefusal.exists : nil }) {
            try await store.create(created, secret: secret.sealed, by: actor, of: project)
        }
        onChange()
        return Created(endpoint: endpoint, secret: secret.text, completeFrom: now + Self.propagation)
    }

    public func update(
        _ id: ID<EventEndpoint>, _ input: Input, by actor: AuditActor, of project: ID<Project>
    ) async throws -> EventEndpoint {
        var endpoint = try await endpoint(id, of: project)
        try apply(input, to: &endpoint)
        guard try await store.update(endpoint, by: actor, at: clock.now(), of: project) else {
            throw EventEndpointRefusal.notFound
        }
        onChange()
        return endpoint
    }

    public func delete(_ id: ID<EventEndpoint>, by actor: AuditActor, of project: ID<Project>) async throws {
        guard try await store.delete(id, by: actor, at: clock.now(), of: project) else {
            throw EventEndpointRefusal.notFound
        }
        onChange()
    }

    public func endpoint(_ id: ID<EventEndpoint>, of project: ID<Project>) async throws -> EventEndpoint {
        guard let endpoint = try await store.endpoints(of: project).first(where: { $0.id == id }) else {
            throw EventEndpointRefusal.notFound
        }
        return endpoint
    }

    /// Replaces the secret. The former one signs too, until `overlap` has passed.
    ///
    /// - Parameter overlap: in seconds, in ``overlaps``.
    public func rotateSecret(
        of id: ID<EventEndpoint>, overlap: Int?, by actor: AuditActor, of project: ID<Project>
    ) async throws -> Secret {
        let overlap = overlap.map { Duration.seconds($0) } ?? Self.defaultOverlap
        guard Self.overlaps.contains(Int(overlap.components.seconds)) else {
            throw EventEndpointRefusal.invalidOverlap
        }
        let (secret, now) = (try newSecret(id, project), clock.now())
        let isRotated = try await store.replaceSecret(
            of: id, by: secret.sealed, keepingFormerUntil: overlap == .zero ? nil : now + overlap, by: actor, at: now,
            of: project)
        guard isRotated else { throw EventEndpointRefusal.notFound }
        return secret.text
    }

    /// Enables an endpoint again, and makes its waiting deliveries due.
    public func enable(
        _ id: ID<EventEndpoint>, by actor: AuditActor, of project: ID<Project>
    ) async throws -> EventEndpoint {
        guard try await store.enable(id, by: actor, at: clock.now(), of: project) else {
            throw EventEndpointRefusal.notFound
        }
        return try await endpoint(id, of: project)
    }

    /// - Returns: the number of events that will be delivered again.
    public func replay(
        _ replay: EventReplay, to id: ID<EventEndpoint>, by actor: AuditActor, of project: ID<Project>
    ) async throws -> Int {
        let endpoint = try await endpoint(id, of: project)
        guard endpoint.url != nil else { throw EventEndpointRefusal.hasNoURL }
        return try await store.replay(replay, to: endpoint, by: actor, at: clock.now(), of: project)
    }

    public func test(_ id: ID<EventEndpoint>, of project: ID<Project>) async throws -> EventDeliveryOutcome {
        guard try await endpoint(id, of: project).url != nil else { throw EventEndpointRefusal.hasNoURL }
        guard let outcome = try await sendTest(id, project) else { throw EventEndpointRefusal.notFound }
        return outcome
    }

    private func apply(_ input: Input, to endpoint: inout EventEndpoint) throws(EventEndpointRefusal) {
        if let url = input.url {
            endpoint.url = nil
            if !url.isEmpty {
                guard let url = CallbackURL(url, allowsLoopback: allowsLoopback) else {
                    throw EventEndpointRefusal.invalidURL
                }
                endpoint.url = url
            }
        }
        if let names = input.kinds {
            var kinds: Set<AccountEvent.Kind> = []
            for name in names {
                guard let kind = AccountEvent.Kind(rawValue: name) else { throw .unknownKind }
                kinds.insert(kind)
            }
            endpoint.kinds = kinds.isEmpty ? nil : kinds
        }
        if let include = input.include {
            guard include.allSatisfy({ $0.isExactly("profile") }) else { throw .unknownInclusion }
            endpoint.includesProfile = !include.isEmpty
        }
    }
}
