import Foundation
import PrivatePostgres
import Testing

@Suite("Private PostgreSQL")
struct PrivatePostgresTests {
    @Test("Databases are kept between runs, and a leftover postmaster.pid does not prevent the start")
    func restart() throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer { TestServer.removeFolders(of: first) }
        try first.createDatabase(named: "kept \"one\"")
        try first.createDatabase(named: "copy", template: "kept \"one\"")
        try first.dropDatabase(named: "copy")
        // Has no effect if the database does not exist.
        try first.dropDatabase(named: "copy")
        first.stop()
        #expect(!first.isRunning)
        // The process in this file is running, but it is the server of another data directory.
        let otherPIDFile = try TestServer.shared.get().dataDirectory + "/postmaster.pid"
        try FileManager.default.copyItem(atPath: otherPIDFile, toPath: first.dataDirectory + "/postmaster.pid")

        let second = try PrivatePostgres.start(directory: directory, durable: false)
        defer { second.stop() }
        #expect(try second.hasDatabase(named: "kept \"one\""))
        #expect(try !second.hasDatabase(named: "copy"))
        #expect(throws: PrivatePostgresError.self) { try second.createDatabase(named: "kept \"one\"") }
    }

    @Test("A second server in the same directory is rejected")
    func second() throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer {
            first.stop()
            TestServer.removeFolders(of: first)
        }
        let error = #expect(throws: PrivatePostgresError.self) {
            try PrivatePostgres.start(directory: directory, durable: false)
        }
        guard case .alreadyRunning(let running) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(running == directory)
        #expect(first.isRunning)
    }

    @Test("A server starts even if its directory's path is too long for a socket, or its user cannot access the path")
    func unusablePaths() throws {
        let directory = try TestServer.temporaryDirectory()
        // A leftover folder is harmless.
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let deep = directory + "/" + String(repeating: "d", count: 120)
        let closed = directory + "/closed"
        try FileManager.default.createDirectory(
            atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for path in [deep, closed + "/inside"] {
            let server = try PrivatePostgres.start(directory: path, durable: false)
            #expect(try server.hasDatabase(named: "postgres"))
            server.stop()
            TestServer.removeFolders(of: server)
        }
    }

    @Test("The error contains PostgreSQL's log if PostgreSQL does not start")
    func broken() throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer { TestServer.removeFolders(of: first) }
        first.stop()
        try FileManager.default.removeItem(atPath: first.dataDirectory + "/global/pg_control")
        let error = #expect(throws: PrivatePostgresError.self) {
            try PrivatePostgres.start(directory: directory, durable: false)
        }
        #expect("\(String(describing: error))".contains("pg_control"))
    }
}
