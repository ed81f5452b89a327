import Foundation
import SekishoAuth
import Testing

@Suite("The URLSession transport")
struct URLSessionTransportTests {
    /// Sends a request to a server that receives it and then runs `script`. Returns the response.
    private func exchange(
        timeout: TimeInterval = 20, _ script: @escaping @Sendable (TCPConnection) -> Void
    ) async throws -> TransportResponse {
        let server = try TCPServer { connection in
            _ = connection.receiveRequest()
            script(connection)
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/token"))
        return try await URLSessionTransport().send(
            TransportRequest(
                method: "POST", url: url, headers: ["X-Test": "a"], body: Data("{}".utf8), timeout: timeout))
    }

    @Test(
        "The status, the header fields and the body are returned, whatever the status is", arguments: [200, 400, 503])
    func response(status: Int) async throws {
        let response = try await exchange {
            $0.send("HTTP/1.1 \(status) X\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}")
        }
        #expect(response.status == status)
        #expect(response.body == Data("{}".utf8))
        #expect(response.headers.contains { $0.key.lowercased() == "retry-after" && $0.value == "7" })
    }

    @Test("Very long timeouts are accepted", arguments: [.infinity, 1e300] as [TimeInterval])
    func longTimeout(timeout: TimeInterval) async throws {
        let response = try await exchange(timeout: timeout) { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        #expect(response.status == 200)
    }

    @Test("An incomplete body is an error")
    func truncated() async throws {
        await #expect(throws: (any Error).self) {
            try await exchange { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{") }
        }
    }

    @Test("A connection that is closed without a response is an error")
    func closed() async throws {
        await #expect(throws: (any Error).self) { try await exchange { _ in } }
    }

    @Test("A request fails at its timeout although bytes keep arriving")
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

    @Test("A redirect is not followed")
    func redirect() async throws {
        let response = try await exchange {
            $0.send("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(response.status == 302)
    }

    @Test("A body that is too large is rejected before it is complete")
    func largeBody() async throws {
        await #expect(throws: URLError(.dataLengthExceedsMaximum)) {
            try await exchange { connection in
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
                let part = [UInt8](repeating: 32, count: 1 << 20)
                // 64 MiB are more than the limit of 4 MiB, and less than `Content-Length`: without the limit, the error
                // would be different.
                for _ in 0..<64 { connection.send(part) }
            }
        }
    }

    @Test("A body of the largest size is accepted")
    func largestBody() async throws {
        let size = TransportResponse.maximumBody
        let response = try await exchange { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            connection.send([UInt8](repeating: 32, count: size))
        }
        #expect(response.body.count == size)
    }

    @Test("A request ends when its task is cancelled")
    func cancelled() async throws {
        let (requests, arrived) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await exchange { connection in
                arrived.yield()
                _ = connection.receiveAll()
            }
        }
        for await _ in requests { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
