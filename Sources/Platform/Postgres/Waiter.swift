/// A caller that needs a free connection.
struct Waiter {
    enum Demand {
        case statement(Statement)
        /// A connection for a transaction; resumes with the ID of the lease.
        case lease(CheckedContinuation<UInt64, any Error>)
    }

    let id: UInt64
    let deadline: ContinuousClock.Instant
    let demand: Demand

    func fail(_ error: any Error) {
        switch demand {
        case .statement(let statement): statement.finish(.failure(error))
        case .lease(let continuation): continuation.resume(throwing: error)
        }
    }
}
