internal import API
internal import Gateway
internal import HTTP
internal import Simulators

extension [Endpoint] {
    /// How the simulated providers behave, for suites about bad days. There is one Apple and one Google for all
    /// projects, as in real life.
    static func simulators(_ simulators: DevSimulators, _ projects: DevProjects) -> [Endpoint] {
        let path = "/emulator/v1/projects/{project}/simulators"
        return [
            .extra("getSimulators", .get, path) { call in
                _ = try await projects.named(by: call)
                return try .json(SimulatorStates(simulators))
            },
            .extra("updateSimulators", .patch, path) { call in
                _ = try await projects.named(by: call)
                try simulators.carryOut(call.decoded(as: SimulatorChange.self))
                return try .json(SimulatorStates(simulators))
            },
        ]
    }
}

/// What is absent stays.
private struct SimulatorChange: Decodable {
    struct Apple: Decodable {
        let conduct: String?
        let rotateKeys: Bool?
        let dropOldKeys: Bool?
        let booleansAreStrings: Bool?
        let marksPrivateEmail: Bool?
        let relayDomain: String?
        let supportsNonce: Bool?
        let identityTokenLifetime: Int64?
        let issuer: String?
    }

    struct Google: Decodable {
        let conduct: String?
        let rotateKeys: Bool?
        let dropOldKeys: Bool?
        let issuer: String?
    }

    /// First of all, everything is as it was in the beginning, but for the keys.
    let reset: Bool?
    let apple: Apple?
    let google: Google?
}

private struct SimulatorStates: Encodable {
    struct State: Encodable {
        let url: String
        /// How often the keys were asked for.
        let keyFetches: Int
    }

    let apple: State
    let google: State

    init(_ simulators: DevSimulators) {
        apple = State(url: simulators.appleURL, keyFetches: simulators.apple.keyFetches)
        google = State(url: simulators.googleURL, keyFetches: simulators.google.keyFetches)
    }
}

/// The misbehaviours that suites can ask for.
private enum SimulatorConduct: String, CaseIterable {
    case none, outage, slow, silent, html, tooManyRequests, brokenJSON

    /// - Parameter pointer: to the member of the request.
    init(_ text: String, at pointer: String) throws(RequestRefusal) {
        guard let conduct = SimulatorConduct(rawValue: text) else {
            let all = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidField(pointer, "must be one of \(all)")
        }
        self = conduct
    }

    var misbehaviour: Misbehaviour {
        switch self {
        case .none: .none
        case .outage: .unavailable
        // Within the gateway's deadline.
        case .slow: .slow(.seconds(1))
        case .silent: .silent
        case .html: .html(status: 200)
        case .tooManyRequests: .tooManyRequests(retryAfterSeconds: 60)
        case .brokenJSON: .brokenJSON
        }
    }
}

extension DevSimulators {
    private static let lifetimes: ClosedRange<Int64> = 1...31_536_000

    /// All of it or, if anything in it is wrong, nothing.
    fileprivate func carryOut(_ change: SimulatorChange) throws {
        let conducts = (
            apple: try change.apple?.conduct.map { try SimulatorConduct($0, at: "/apple/conduct") },
            google: try change.google?.conduct.map { try SimulatorConduct($0, at: "/google/conduct") }
        )
        let begun = change.reset == true ? AppleQuirks() : apple.quirks
        let quirks = try change.apple.map { try Self.quirks($0, from: begun) } ?? begun
        if change.reset == true {
            apple.conduct.behave()
            google.conduct.behave()
            google.issuer = GoogleIssuer.url.rawValue
        }
        apple.quirks = quirks
        if let issuer = change.google?.issuer { google.issuer = issuer }
        if let conduct = conducts.apple { apple.conduct.misbehave(conduct.misbehaviour) }
        if let conduct = conducts.google { google.conduct.misbehave(conduct.misbehaviour) }
        if change.apple?.rotateKeys == true {
            try apple.rotateKeys(keepingOld: change.apple?.dropOldKeys != true)
        }
        if change.google?.rotateKeys == true {
            try google.rotateKeys(keepingOld: change.google?.dropOldKeys != true)
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
            guard lifetimes.contains(lifetime) else {
                throw .invalidField("/apple/identityTokenLifetime", "must be from a second to a year")
            }
            quirks.identityTokenLifetime = lifetime
        }
        return quirks
    }
}
