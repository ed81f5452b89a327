internal import Identity
internal import Postgres

/// Runs `work`, telling the domain in its own words when the database cannot be reached. Work that PostgreSQL gave up for
/// another transaction's sake, and of which nothing was carried out, is tried five times.
func reaching<Value>(_ work: () async throws -> sending Value) async throws -> sending Value {
    for _ in 1...5 {
        do {
            return try await work()
        } catch PostgresError.unavailable(let reason) {
            throw StoreUnavailable(reason: reason)
        } catch PostgresError.timedOut {
            throw StoreUnavailable(reason: "the statement took too long")
        } catch let error as PostgresError where error.isSerializationFailure {
            // The other one is to be through before the next attempt is in its way again.
            try await Task.sleep(for: .milliseconds(.random(in: 10...50)))
        }
    }
    throw StoreUnavailable(reason: "others keep being in the way")
}
