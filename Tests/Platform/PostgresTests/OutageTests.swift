import Encoding
import EventLoop
import Foundation
import Postgres
import PrivatePostgres
import Testing

@Suite("Outages of the database")
struct OutageTests {
    @Test("Callers get an error during an outage, and the same pool works after the outage")
    func stopAndStart() async throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer { TestServer.removeFolders(of: first) }
        try await withPool(url: first.url()) { pool in
            try await pool.execute("CREATE TABLE kept AS SELECT 1")
            let interrupted = Task(executorPreference: pool.loop) { try await pool.query("SELECT pg_sleep(60)") }
            try await pool.loop.sleep(for: .milliseconds(20))
            first.stop()
            await expectUnavailable { try await interrupted.value }
            for _ in 0..<10 { await expectUnavailable { try await pool.query("SELECT 1") } }
            #expect(await !pool.isReachable())

            let second = try PrivatePostgres.start(directory: directory, durable: false)
            defer { second.stop() }
            for _ in 0..<100 where await !pool.isReachable() { try await pool.loop.sleep(for: .milliseconds(50)) }
            #expect(try await pool.query("SELECT * FROM kept").count == 1)
        }
    }

    @Test("If a session is terminated, at most the statement that it executes fails", arguments: [true, false])
    func terminated(isBusy: Bool) async throws {
        try await withPool { pool in
            try await withPool {
                $0.connections = 1
            } _: { victim in
                let pid: Int = try await victim.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
                let busy = Task(executorPreference: victim.loop) {
                    if isBusy { _ = try await victim.query("SELECT pg_sleep(60)") }
                }
                let sessionIsBusy: SQL = "SELECT FROM pg_stat_activity WHERE pid = \(Int32(pid)) AND state = 'active'"
                while isBusy, try await pool.query(sessionIsBusy).isEmpty {}
                _ = try await pool.query("SELECT pg_terminate_backend(\(Int32(pid)))")
                if isBusy { await expectUnavailable { try await busy.value } }
                // When the server process has ended, its socket is closed. The loop of `victim` handles this before
                // its next `sleep` returns, so one more sleep suffices.
                while FileManager.default.fileExists(atPath: "/proc/\(pid)") {
                    try await victim.loop.sleep(for: .milliseconds(5))
                }
                try await victim.loop.sleep(for: .milliseconds(5))
                let next: Int = try await victim.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
                #expect(next != pid)
            }
        }
    }

    static let urls = [
        "postgresql://user:hunter2@127.0.0.1:1/db", "postgresql://user:hunter2@no-such-host.invalid/db",
        "postgresql://user:hun/ter2@127.0.0.1/db", "postgresql://user:hun@ter2@127.0.0.1/db",
        "host=127.0.0.1 port=hunter2", "host=/nonexistent user=user password=hunter2",
        "host=/nonexistent password='hunter2", "hunter2",
        "postgresql://user:hunter2@127.0.0.1:1,127.0.0.1:2/db",
        "host=127.0.0.1 port=1 sslmode=hunter2 password=hunter2",
    ]

    @Test("The error about an unusable URL does not contain the password", arguments: urls)
    func unreachable(url: String) async throws {
        try await withPool(url: url) { pool in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            guard case .unavailable(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(!reason.contains("hun") && !reason.contains("ter2"), "\(reason)")
        }
    }

    @Test("The error about a rejected role names the role, and a pool tries the next host after an unreachable one")
    func hosts() async throws {
        let url = try TestServer.url
        try await withPool(url: url.replacingOccurrences(of: "user=postgres", with: "user=nobody-here")) { pool in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            #expect("\(String(describing: error))".contains("nobody-here"))
        }
        let twoHosts = url.replacingOccurrences(of: "host=/", with: "host=127.0.0.1,/")
            .replacingOccurrences(of: "port=5432", with: "port=1,5432")
        try await withPool(url: twoHosts) { #expect(await $0.isReachable()) }
    }

    @Test(
        "A lack of resources means that the database is unavailable, and the connection is used again",
        arguments: ["53100", "53200", "58030", "58P01"])
    func resources(code: String) async throws {
        try await withPool {
            $0.connections = 1
        } _: { pool in
            try await pool.execute(
                """
                CREATE OR REPLACE FUNCTION pg_temp.fail(code text) RETURNS int LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = code; END $$
                """)
            let error = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT pg_temp.fail(\(code))")
            }
            guard case .unavailable(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("\(code) no space left"))
            // The temporary function still exists, so the session is the same.
            await expectUnavailable { try await pool.query("SELECT pg_temp.fail(\(code))") }
        }
    }
}
