import EventLoop
import Foundation
import Postgres
import PrivatePostgres
import Testing

/// The PostgreSQL server of this test run: started by the first test that needs it, stopped at the end.
enum TestServer {
    static let shared = Result { try start() }

    static var url: String { get throws { try shared.get().url() } }

    private static func start() throws -> PrivatePostgres {
        let server = try PrivatePostgres.start(directory: temporaryDirectory(), durable: false)
        atexit {
            // Without a server there is nothing to stop.
            guard let server = try? TestServer.shared.get() else { return }
            server.stop()
            TestServer.removeFolders(of: server)
        }
        return server
    }

    /// Deletes the folders of a stopped server.
    static func removeFolders(of server: PrivatePostgres) {
        // Leftover folders are harmless.
        try? FileManager.default.removeItem(atPath: (server.logFile as NSString).deletingLastPathComponent)
        try? FileManager.default.removeItem(atPath: (server.dataDirectory as NSString).deletingLastPathComponent)
    }

    /// Creates a directory that all users can read, because the server may run as another user.
    static func temporaryDirectory() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/sekisho-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        return path
    }
}

/// Runs `body` with a pool on its own loop, and closes both afterwards.
func withPool<Value: Sendable>(
    url: String? = nil, _ change: (inout Pool.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (Pool) async throws -> Value
) async throws -> Value {
    var configuration = Pool.Configuration(url: try url ?? TestServer.url)
    change(&configuration)
    let loop = try Loop(name: "test")
    let pool = Pool(loop: loop, configuration: configuration)
    let task = Task(executorPreference: loop) {
        let result: Result<Value, any Error>
        do { result = .success(try await body(pool)) } catch { result = .failure(error) }
        await pool.close()
        return result
    }
    let result = await task.value
    loop.stop()
    return try result.get()
}

func expectUnavailable<Value>(_ body: () async throws -> Value) async {
    let error = await #expect(throws: PostgresError.self) { _ = try await body() }
    guard case .unavailable? = error else {
        Issue.record("\(String(describing: error))")
        return
    }
}
