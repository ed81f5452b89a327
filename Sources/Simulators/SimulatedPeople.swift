internal import Synchronization

/// The people with accounts at the simulated providers: those who signed in before, and examples of different kinds of
/// accounts.
public final class SimulatedPeople: Sendable {
    /// The maximum number of stored people.
    static let limit = 100
    /// The maximum number of earlier users that a consent page lists, besides the examples.
    private static let listedLimit = 7
    private static let examples: [SimulatedPerson] = [.ada, .grace, .mary, .emmy, .alan]

    /// Guards the people who signed in, newest first.
    private let recent = Mutex<[SimulatedPerson]>([])

    public init() {}

    /// Adds a person who signs in. Only the last 100 people are stored.
    public func add(_ person: SimulatedPerson) {
        recent.withLock { recent in
            let others = recent.filter { $0.id != person.id }
            recent = [person] + others.prefix(Self.limit - 1)
        }
    }

    /// All people, those who signed in last first.
    public var all: [SimulatedPerson] {
        let recent = recent.withLock { $0 }
        return recent + Self.examples.filter { example in !recent.contains { $0.id == example.id } }
    }

    /// Returns the people that a consent page lists.
    ///
    /// - Parameter hint: the ID or email address of the person to list first, as in `login_hint`.
    func listed(first hint: String? = nil) -> [SimulatedPerson] {
        let recent = recent.withLock { Array($0.prefix(Self.listedLimit)) }
        let all = recent + Self.examples.filter { example in !recent.contains { $0.id == example.id } }
        guard let first = hint.flatMap(find) else { return all }
        return [first] + all.filter { $0.id != first.id }
    }

    func find(_ idOrEmail: String) -> SimulatedPerson? {
        let text = idOrEmail.lowercased()
        return all.first { $0.id.lowercased() == text } ?? all.first { $0.email?.lowercased() == text }
    }
}
