internal import API
internal import Gateway
internal import HTTP
internal import Identity
internal import Simulators

extension [Endpoint] {
    /// Shows and changes the behaviour of the simulated providers. All projects share one simulator of each provider.
    static func simulators(_ simulators: DevSimulators, _ projects: DevProjects) -> [Endpoint] {
        let path = "/emulator/v1/projects/{project}/simulators"
        return [
            .outsideContract("getSimulators", .get, path) { call in
                _ = try await projects.realm(inPathOf: call)
                return try .json(SimulatorStates(simulators))
            },
            .outsideContract("updateSimulators", .patch, path) { call in
                _ = try await projects.realm(inPathOf: call)
                let sent = try await simulators.apply(call.decodedBody(as: SimulatorChange.self))
                return try .json(SimulatorStates(simulators, sent: sent))
            },
        ]
    }
}

/// A change of the simulated providers. An absent member leaves the value as it is.
private struct SimulatorChange: Decodable {
    struct Apple: Decodable {
        /// The name of a ``SimulatorFault``.
        let fault: String?
        let rotateKeys: Bool?
        /// Whether `rotateKeys` removes the old keys, so that older tokens cannot be verified any more.
        let dropOldKeys: Bool?
        let booleansAreStrings: Bool?
        let marksPrivateEmail: Bool?
        let relayDomain: String?
        let supportsNonce: Bool?
        /// In seconds.
        let identityTokenLifetime: Int64?
        let issuer: String?
        /// A person who stops using Sign in with Apple for the app, as in the settings of a device.
        let disconnect: SimulatedPersonInput?
        /// A person who deletes the Apple Account.
        let deleteAccount: SimulatedPersonInput?
        /// A person who stops or resumes the forwarding of email from the relay address.
        let relay: Relay?
        /// The team to which the app moves. The subjects and relay addresses of the app change at once.
        let transferToTeam: String?
        /// The bundle ID of the app for `disconnect`, `deleteAccount`, `relay` and `transferToTeam`. It is the audience
        /// of Apple's notifications.
        let clientId: String?
        /// Redirect URIs to accept in addition to loopback URLs and the URIs that each client has registered.
        let redirectUris: Set<String>?
    }

    struct Relay: Decodable {
        let person: SimulatedPersonInput?
        let forwards: Bool?
    }

    /// A change of a provider other than Apple.
    struct Other: Decodable {
        /// The name of a ``SimulatorFault``.
        let fault: String?
        let rotateKeys: Bool?
        let dropOldKeys: Bool?
        let issuer: String?
        let redirectUris: Set<String>?
    }

    /// People to create or change; the ID identifies a person.
    let people: [SimulatedPersonInput]?
    /// If `true`, the faults are removed, and the initial quirks, issuers and redirect URIs are restored, before the
    /// other members are applied.
    let reset: Bool?
    let apple: Apple?
    /// The changes of the other providers, by ``DevSimulator/memberName``.
    let others: [String: Other]

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        people = try members.decodeIfPresent([SimulatedPersonInput].self, forKey: "people")
        reset = try members.decodeIfPresent(Bool.self, forKey: "reset")
        apple = try members.decodeIfPresent(Apple.self, forKey: "apple")
        var others: [String: Other] = [:]
        for name in DevSimulators.otherTypes.map({ $0.memberName }) {
            others[name] = try members.decodeIfPresent(Other.self, forKey: MemberName(stringLiteral: name))
        }
        self.others = others
    }
}

/// A member whose name depends on the simulators.
private struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct SimulatorStates: Encodable {
    struct State: Encodable {
        let url: String
        /// The number of requests for the public keys.
        let keyFetches: Int
        /// The number of revocations that Apple accepted.
        var revocations: Int?
    }

    let apple: State
    /// By ``DevSimulator/memberName``.
    let others: [String: State]
    /// The notifications that Apple sent because of the change.
    let notifications: [SentNotification]?

    init(_ simulators: DevSimulators, sent: [SentNotification]? = nil) {
        notifications = sent
        apple = State(
            url: simulators.appleURL, keyFetches: simulators.apple.keyFetches,
            revocations: simulators.apple.revocations)
        others = Dictionary(
            uniqueKeysWithValues: simulators.others.map { other in
                let state = State(url: other.server.baseURL, keyFetches: other.simulator.keyFetches)
                return (type(of: other.simulator).memberName, state)
            })
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        try members.encode(apple, forKey: "apple")
        for (name, state) in others { try members.encode(state, forKey: MemberName(stringLiteral: name)) }
        try members.encodeIfPresent(notifications, forKey: "notifications")
    }
}

/// The faults that a request can inject.
private enum SimulatorFault: String, CaseIterable {
    case none, outage, slow, silent, html, tooManyRequests, brokenJSON

    /// - Parameter pointer: the JSON pointer to the member of the request.
    init(_ text: String, at pointer: String) throws(RequestRefusal) {
        guard let fault = SimulatorFault(rawValue: text) else {
            let all = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidField(pointer, "must be one of \(all)")
        }
        self = fault
    }

    var injected: InjectedFault {
        switch self {
        case .none: .none
        case .outage: .unavailable
        // Shorter than the deadline of the gateway.
        case .slow: .slow(.seconds(1))
        case .silent: .silent
        case .html: .html(status: 200)
        case .tooManyRequests: .tooManyRequests(retryAfterSeconds: 60)
        case .brokenJSON: .brokenJSON
        }
    }
}

extension SimulatorChange.Apple {
    /// Returns the actions of people that the change contains.
    ///
    /// - Throws: ``RequestRefusal`` for an invalid person, or if the client ID or `forwards` is missing.
    func actions() throws(RequestRefusal) -> [SimulatedAppleAction] {
        let forwarding: SimulatedAppleEvent = relay?.forwards == true ? .emailEnabled : .emailDisabled
        let people: [(SimulatedAppleEvent, SimulatedPersonInput?)] = [
            (.consentRevoked, disconnect), (.accountDelete, deleteAccount),
            (forwarding, relay.map { $0.person ?? SimulatedPersonInput() }),
        ]
        var actions: [SimulatedAppleAction] = []
        for case (let event, let person?) in people {
            guard let clientId, !clientId.isEmpty else {
                throw .invalidField(
                    "/apple/clientId", "must be present with disconnect, deleteAccount and relay")
            }
            actions.append(
                SimulatedAppleAction(event: event, person: try SimulatedPerson(person), clientID: clientId))
        }
        guard relay == nil || relay?.forwards != nil else {
            throw .invalidField("/apple/relay/forwards", "must be present")
        }
        return actions
    }
}

extension DevSimulator {
    fileprivate func apply(_ change: SimulatorChange.Other, _ fault: SimulatorFault?) throws {
        if let uris = change.redirectUris { redirectURIs.additional = uris }
        if let issuer = change.issuer { self.issuer = issuer }
        if let fault { faultInjection.injectFault(fault.injected) }
        if change.rotateKeys == true { try rotateKeys(keepingOld: change.dropOldKeys != true) }
    }
}

extension DevSimulators {
    /// The lifetimes that a request can set, in seconds: up to 365 days.
    private static let identityTokenLifetimes: ClosedRange<Int64> = 1...31_536_000

    /// Applies the change completely or, if any member is invalid, not at all. Returns after the gateway has responded
    /// to Apple's notifications.
    fileprivate func apply(_ change: SimulatorChange) async throws -> [SentNotification] {
        let actions = try change.apple?.actions() ?? []
        let changedPeople = try (change.people ?? []).map { try SimulatedPerson($0) }
        try configure(change)
        for person in changedPeople { people.add(person) }
        return try await apply(actions)
    }

    private func configure(_ change: SimulatorChange) throws {
        let appleFault = try change.apple?.fault.map { try SimulatorFault($0, at: "/apple/fault") }
        let changesOfOthers = try others.map { other in
            let name = type(of: other.simulator).memberName
            let own = change.others[name]
            let fault = try own?.fault.map { try SimulatorFault($0, at: "/\(name)/fault") }
            return (other.simulator, own, fault)
        }
        let team = change.apple?.transferToTeam
        guard team.map(AppleSettings.isID) != false else {
            throw RequestRefusal.invalidField("/apple/transferToTeam", "must be ten upper-case letters or digits")
        }
        guard team == nil || change.apple?.clientId?.isEmpty == false else {
            throw RequestRefusal.invalidField("/apple/clientId", "must be present with transferToTeam")
        }
        let initial = change.reset == true ? Self.initialQuirks : apple.quirks
        let quirks = try change.apple.map { try Self.quirks($0, from: initial) } ?? initial
        if change.reset == true {
            apple.faultInjection.reset()
            apple.redirectURIs = Self.initialRedirectURIs
            for other in others {
                other.simulator.faultInjection.reset()
                other.simulator.issuer = type(of: other.simulator).initialIssuer
                other.simulator.redirectURIs = Self.initialRedirectURIs
            }
        }
        if let uris = change.apple?.redirectUris { apple.redirectURIs.additional = uris }
        apple.quirks = quirks
        if let team, let client = change.apple?.clientId { apple.transfer(client, to: team) }
        if let fault = appleFault { apple.faultInjection.injectFault(fault.injected) }
        if change.apple?.rotateKeys == true {
            try apple.rotateKeys(keepingOld: change.apple?.dropOldKeys != true)
        }
        for (simulator, change, fault) in changesOfOthers {
            if let change { try simulator.apply(change, fault) }
        }
    }

    private static func quirks(
        _ change: SimulatorChange.Apple, from quirks: AppleQuirks
    ) throws(RequestRefusal) -> AppleQuirks {
        var quirks = quirks
        quirks.booleansAreStrings = change.booleansAreStrings ?? quirks.booleansAreStrings
        quirks.marksPrivateEmail = change.marksPrivateEmail ?? quirks.marksPrivateEmail
        quirks.supportsNonce = change.supportsNonce ?? quirks.supportsNonce
        quirks.issuer = change.issuer ?? quirks.issuer
        if let text = change.relayDomain {
            guard let domain = AppleQuirks.RelayDomain(rawValue: text) else {
                let all = AppleQuirks.RelayDomain.allCases.map(\.rawValue).joined(separator: " or ")
                throw .invalidField("/apple/relayDomain", "must be \(all)")
            }
            quirks.relayDomain = domain
        }
        if let lifetime = change.identityTokenLifetime {
            guard identityTokenLifetimes.contains(lifetime) else {
                let (least, most) = (identityTokenLifetimes.lowerBound, identityTokenLifetimes.upperBound)
                throw .invalidField("/apple/identityTokenLifetime", "must be \(least) to \(most) seconds")
            }
            quirks.identityTokenLifetime = lifetime
        }
        return quirks
    }
}
