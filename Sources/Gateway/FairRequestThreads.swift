internal import API
internal import EventLoop
package import Identity

/// Decodes large requests on one thread, which serves the projects in turn.
package struct FairRequestThreads: RequestThreads {
    /// The maximum number of large requests that wait. The memory limit of request bodies admits fewer.
    private static let capacity = 64

    private let pool: FairPool

    /// - Throws: the error of the system if it cannot create a thread.
    package init() throws {
        pool = try FairPool(name: "requests", threads: 1, capacity: Self.capacity, niceness: 5)
    }

    package func run<Value: Sendable>(
        for project: ID<Project>, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.run(for: [project.rawValue], work)
        } catch is PoolRejection {
            throw Overloaded()
        }
    }

    package func stop() { pool.stop() }
}
