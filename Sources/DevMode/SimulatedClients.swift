internal import Encoding
internal import Identity
internal import Simulators
internal import Synchronization

/// Registers clients at the simulated Apple. A client is registered again only if its project configures another team.
/// A client that the simulator has transferred to another team is never registered again.
final class SimulatedClients: Sendable {
    /// Guards the configured team of each client ID.
    private let teams = Mutex<[String: String]>([:])

    init() {}

    /// - Parameter team: the configured team; `nil` for the simulator's default.
    func register(_ ids: Set<String>, team: String?, at apple: SimulatedApple) {
        let team = team ?? SimulatedApple.defaultTeam
        let changed = teams.withLock { teams in
            ids.filter { teams.updateValue(team, forKey: $0) != team }
        }
        for id in changed where !apple.isTransferred(id) {
            apple.register(AppleClient(id: id, team: team, kind: .either))
        }
    }
}

extension Realm {
    /// The client IDs that the realm, and the apps of its project, have at a provider.
    func clientIDs(of provider: ProviderID) -> Set<String> {
        let ids = settings(of: provider)?.clientIDs ?? []
        return Set(ids + project.apps.flatMap { $0.settings.clientIDs[ByteText(provider.rawValue)] ?? [] })
    }
}
