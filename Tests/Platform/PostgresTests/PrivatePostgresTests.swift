import Foundation
import PrivatePostgres
import Testing

@Suite("A private PostgreSQL")
struct PrivatePostgresTests {
    @Test("keeps its data between runs, also after its owner was killed")
    func restart() throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer { TestServer.remove(first) }
        try first.createDatabase(named: "kept \"one\"")
        try first.createDatabase(named: "copy", template: "kept \"one\"")
        try first.dropDatabase(named: "copy")
        try first.dropDatabase(named: "copy")
        first.stop()
        #expect(!first.isRunning)
        let somebodyElse = try TestServer.shared.get().dataDirectory + "/postmaster.pid"
        try FileManager.default.copyItem(atPath: somebodyElse, toPath: first.dataDirectory + "/postmaster.pid")

        let second = try PrivatePostgres.start(directory: directory, durable: false)
        defer { second.stop() }
        #expect(try second.hasDatabase(named: "kept \"one\""))
        #expect(try !second.hasDatabase(named: "copy"))
        #expect(throws: PrivatePostgresError.self) { try second.createDatabase(named: "kept \"one\"") }
    }

    @Test("locks its directory")
    func second() throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer {
            first.stop()
            TestServer.remove(first)
        }
        let error = #expect(throws: PrivatePostgresError.self) {
            try PrivatePostgres.start(directory: directory, durable: false)
        }
        guard case .alreadyRunning(let place) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place == directory)
        #expect(first.isRunning)
    }

    @Test("moves its socket and data if the path is too long or not accessible to its user")
    func awkwardPlaces() throws {
        let directory = try TestServer.temporaryDirectory()
        // A leftover folder is harmless.
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let deep = directory + "/" + String(repeating: "d", count: 120)
        let closed = directory + "/closed"
        try FileManager.default.createDirectory(
            atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for place in [deep, closed + "/inside"] {
            let server = try PrivatePostgres.start(directory: place, durable: false)
            #expect(try server.hasDatabase(named: "postgres"))
            server.stop()
            TestServer.remove(server)
        }
    }

    @Test("reports PostgreSQL's log if it does not start")
    func broken() throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer { TestServer.remove(first) }
        first.stop()
        try FileManager.default.removeItem(atPath: first.dataDirectory + "/global/pg_control")
        let error = #expect(throws: PrivatePostgresError.self) {
            try PrivatePostgres.start(directory: directory, durable: false)
        }
        #expect("\(String(describing: error))".contains("pg_control"))
    }
}
