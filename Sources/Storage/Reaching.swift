internal import Identity
internal import Postgres

/// Runs `work`, telling the domain in its own words when the database cannot be reached.
func reaching<Value>(_ work: () async throws -> sending Value) async throws -> sending Value {
    do {
        return try await work()
    } catch PostgresError.unavailable(let reason) {
        throw StoreUnavailable(reason: reason)
    } catch PostgresError.timedOut {
        throw StoreUnavailable(reason: "the statement took too long")
    }
}
