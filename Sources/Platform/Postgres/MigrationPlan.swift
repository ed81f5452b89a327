/// The migrations that are not applied yet. The ledger contains the digests of applied migrations by name.
struct MigrationPlan {
    let pending: [Migration]

    init(_ migrations: [Migration], ledger: [String: [UInt8]]) throws(MigrationError) {
        let names = migrations.map(\.name)
        for (name, next) in zip(names, names.dropFirst()) where next <= name { throw .outOfOrder(next) }
        for migration in migrations {
            if let digest = ledger[migration.name], digest != migration.digest { throw .changed(migration.name) }
        }
        if let unknown = Self.unknown(to: migrations, in: ledger) { throw .unknown(unknown) }
        pending = migrations.filter { ledger[$0.name] == nil }
        let lastApplied = names.last { ledger[$0] != nil }
        if let early = pending.first, let lastApplied, early.name < lastApplied { throw .outOfOrder(early.name) }
    }

    /// Returns the first applied migration that is not in the list but precedes the last one of the list. Later
    /// unknown migrations belong to a newer release and are allowed.
    static func unknown(to migrations: [Migration], in ledger: [String: [UInt8]]) -> String? {
        let names = migrations.map(\.name)
        return names.last.flatMap { last in ledger.keys.filter { $0 < last && !names.contains($0) }.min() }
    }
}
