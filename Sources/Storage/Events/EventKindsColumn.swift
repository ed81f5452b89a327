internal import Identity
internal import Postgres

/// The column `event_kinds` of a project.
enum EventKindsColumn {
    /// Stands for the kinds that a listener gets that names none.
    static let ordinary = "*"

    /// Kinds that only a later release knows are ignored, because this release causes no such events.
    static func kinds(_ row: Row) throws -> Set<AccountEvent.Kind> {
        let names = try row.decode("event_kinds", as: [String].self)
        let named = Set(names.compactMap(AccountEvent.Kind.init))
        return names.contains(ordinary) ? named.union(AccountEvent.Kind.ordinary) : named
    }
}

extension SQL {
    /// A condition on the row `e` of an event: a listener of these kinds wants it.
    static func isWanted(_ kinds: Set<AccountEvent.Kind>?) -> SQL {
        guard let kinds else {
            return "e.kind <> ALL (\(AccountEvent.Kind.frequent.map(\.rawValue).sorted()))"
        }
        return "e.kind = ANY (\(kinds.map(\.rawValue).sorted()))"
    }
}
