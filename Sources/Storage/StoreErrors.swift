internal import Identity
internal import Postgres

/// Runs `work`, and converts PostgreSQL's errors to the errors that the stores throw: ``StoreUnavailable`` if the
/// database is unavailable or too slow, ``StoreConflict`` if the change violates a known unique constraint.
///
/// Runs `work` again if PostgreSQL reports a serialization failure or a deadlock, up to four times. Then throws
/// ``PersistentConflict``.
func withStoreErrors<Value>(_ work: () async throws -> sending Value) async throws -> sending Value {
    do {
        return try await retryingConflicts(where: isTransactionConflict, pauseMilliseconds: 10...50) { _ in
            try await work()
        }
    } catch PostgresError.unavailable(let reason) {
        throw StoreUnavailable(reason: reason)
    } catch PostgresError.timedOut {
        throw StoreUnavailable(reason: "the statement took too long")
    } catch let error as PostgresError {
        if let conflict = error.conflict { throw conflict }
        throw error
    }
}

extension Pool {
    /// Runs `work` as ``withStoreErrors(_:)`` does. A project and its tenants together run one such call at a time on
    /// an event loop, so that their slow queries cannot make other projects wait for a connection.
    func withLongQueries<Value: Sendable>(
        in realm: ID<Realm>, _ work: () async throws -> Value
    ) async throws -> Value {
        try await withStoreErrors { try await withLongQueries(of: realm.project.rawValue, work) }
    }

    /// Returns the value of the column `answer` in the only row of `question`.
    func isTrue(_ question: SQL) async throws -> Bool {
        try await withStoreErrors { try await query(question) }.first?.decode("answer") ?? false
    }
}

/// Two projects that set the same RP ID at the same time are such a conflict too: the second attempt finds that the RP
/// ID is taken.
private func isTransactionConflict(_ error: any Error) -> Bool {
    guard let error = error as? PostgresError else { return false }
    return error.isTransactionConflict || error.violatedUniqueConstraint == "realm_rp_id_key"
}

/// Whether a write failed because another account has a value that must be unique. The other account may have received
/// the value after the caller had read the accounts. ``retryingConflicts(where:pauseMilliseconds:_:)`` then reads and
/// writes again.
func isUniqueValueTaken(_ error: any Error) -> Bool {
    if case .taken = error as? StoreConflict { true } else { false }
}

extension PostgresError {
    fileprivate var conflict: StoreConflict? {
        switch violatedUniqueConstraint {
        case "account_pkey": .taken(.id)
        case "account_email_key": .taken(.email)
        case "account_phone_number_key": .taken(.phoneNumber)
        case "linked_identity_pkey": .taken(.identity)
        case "passkey_pkey", "passkey_credential_key": .taken(.passkey)
        // Another transaction has just linked an identity of the same provider to the account.
        case "linked_identity_account_key": .stale
        case "replay_guard_pkey": .alreadyUsed
        default: nil
        }
    }
}
