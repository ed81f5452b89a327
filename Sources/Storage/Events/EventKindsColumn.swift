internal import Identity
internal import Postgres

/// The column `event_kinds` of a project.
enum EventKindsColumn {
    /// Kinds that only a later release knows are ignored, because this release causes no such events.
    static func kinds(_ row: Row) throws -> Set<AccountEvent.Kind> {
        Set(try row.decode("event_kinds", as: [String].self).compactMap(AccountEvent.Kind.init))
    }
}
