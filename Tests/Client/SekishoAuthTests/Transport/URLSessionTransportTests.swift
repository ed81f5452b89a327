import Foundation
import SekishoAuth
import Testing

@Suite("The URLSession transport")
struct URLSessionTransportTests {
    private func exchange(
        timeout: TimeInterval = 20, _ script: @escaping @Sendable (TCPConnection) -> Void
    ) async throws -> TransportResponse {
        let server = try TCPServer { connection in
            _ = connection.request()
            script(connection)
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/token"))
        return try await URLSessionTransport().send(
            TransportRequest(
                method: "POST", url: url, headers: ["X-Test": "a"], body: Data("{}".utf8), timeout: timeout))
    }

    @Test("returns status, header fields and body, whatever the status is", arguments: [200, 400, 503])
    func response(status: Int) async throws {
        let response = try await exchange {
            $0.send("HTTP/1.1 \(status) X\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}")
        }
        #expect(response.status == status)
        #expect(response.body == Data("{}".utf8))
        #expect(response.headers.contains { $0.key.lowercased() == "retry-after" && $0.value == "7" })
    }

    @Test("accepts every timeout", arguments: [.infinity, 1e300] as [TimeInterval])
    func longTimeout(timeout: TimeInterval) async throws {
        let response = try await exchange(timeout: timeout) { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        #expect(response.status == 200)
    }

    @Test("fails for an incomplete body")
    func cut() async throws {
        await #expect(throws: (any Error).self) {
            try await exchange { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{") }
        }
    }

    @Test("fails for a connection that is closed without a response")
    func closed() async throws {
        await #expect(throws: (any Error).self) { try await exchange { _ in } }
    }

    @Test("fails at its timeout although bytes keep arriving")
    func slow() async throws {
        await #expect(throws: URLError(.timedOut)) {
            try await exchange(timeout: 1) { connection in
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
                for _ in 0..<100 {
                    connection.send("x")
                    Thread.sleep(forTimeInterval: 0.1)
                }
            }
        }
    }

    @Test("does not follow a redirect")
    func redirect() async throws {
        let response = try await exchange {
            $0.send("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(response.status == 302)
    }
}
