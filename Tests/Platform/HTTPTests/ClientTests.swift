import EventLoop
import Foundation
import HTTP
import Testing

@Suite("Clients", .timeLimit(.minutes(5)))
struct ClientTests {
    @Test("Method, path, query, headers and body are sent, and status, headers and body are returned")
    func exchange() async throws {
        let handler: Handler = { request in
            var response = await echo(request)
            response.status = 418
            response.headers.add("X-Seen", request.headers["X-Sent"] ?? "")
            return response
        }
        try await withServer(handler: handler) { server in
            try await withClient { client in
                let response = try await client.send(
                    request(.post, "/a/b?c=d", port: server.port, headers: ["X-Sent": "one, two"], body: "hello"))
                #expect(response.status == 418)
                #expect(response.headers["x-seen"] == "one, two")
                #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
                #expect(response.text == "POST /a/b c=d; hello\n")
            }
        }
    }

    @Test(
        "Only Host, User-Agent, Accept and the length of a body are added to the given fields",
        arguments: [
            (.get, [:], "", ""), (.head, [:], "", ""), (.delete, [:], "", ""), (.options, [:], "", ""),
            (.post, [:], "", "Content-Length: 0\r\n"), (.post, [:], "hello", "Content-Length: 5\r\n"),
            (.put, [:], "a", "Content-Length: 1\r\n"), (.patch, [:], "a", "Content-Length: 1\r\n"),
            (.post, ["Content-Type": "text/plain"], "a", "Content-Type: text/plain\r\nContent-Length: 1\r\n"),
            (.get, ["Accept": "application/json"], "", "Accept: application/json\r\n"),
            (.get, ["X-Empty": "", "X-Blank": " a\t"], "", "X-Empty:\r\nX-Blank: a\r\n"),
        ] as [(HTTP.Method, Headers, String, String)])
    func head(method: HTTP.Method, headers: Headers, body: String, expected: String) async throws {
        let server = try RawServer { connection in
            let head = connection.receiveHead()
            connection.send("HTTP/1.1 200 OK\r\nX-Head: \(Data(head.utf8).base64EncodedString())\r\n")
            connection.send("Content-Length: 0\r\n\r\n")
        }
        try await withClient { client in
            let response = try await client.send(request(method, port: server.port, headers: headers, body: body))
            let head = String(
                decoding: try #require(response.headers["X-Head"].flatMap { Data(base64Encoded: $0) }), as: UTF8.self)
            let accept = headers["Accept"] == nil ? "Accept: */*\r\n" : ""
            #expect(
                head == """
                    \(method.rawValue) /a HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: sekisho\r
                    \(accept)\(expected)\r\n
                    """)
        }
    }

    @Test("A body of 3 MiB arrives complete")
    func largeBody() async throws {
        try await withServer(bodyLimit: 4 << 20, handler: { .text(status: 200, "\($0.body.count)") }) { server in
            try await withClient { client in
                let body = String(repeating: "a", count: 3 << 20)
                let response = try await client.send(request(.post, port: server.port, body: body))
                #expect(response.text == "3145728\n")
            }
        }
    }

    @Test("Redirects are not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        try await withServer(handler: { _ in Response(status: status, headers: ["Location": "/b"]) }) { server in
            try await withClient { client in
                let response = try await client.send(request(.post, port: server.port, body: "a"))
                #expect(response.status == status)
                #expect(response.headers["Location"] == "/b")
            }
        }
    }

    @Test("Only the headers of the final response are returned, not those of interim responses or trailers")
    func headers() async throws {
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            connection.send("HTTP/1.1 103 Early Hints\r\nX-Early: a\r\n\r\n")
            connection.send("HTTP/1.1 200 OK\r\nX-A: 1\r\nX-A:  2\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("3\r\nabc\r\n0\r\nX-Late: b\r\n\r\n")
        }
        try await withClient { client in
            let response = try await client.send(request(port: server.port))
            #expect(
                response.headers.map { "\($0.name)=\($0.value)" } == ["X-A=1", "X-A=2", "Transfer-Encoding=chunked"])
            #expect(response.text == "abc")
        }
    }

    @Test("A hundred concurrent requests on one loop use at most eight connections")
    func concurrency() async throws {
        try await withServer { server in
            try await withClient(limits: ClientLimits(connectionsPerHost: 8)) { client in
                try await withThrowingTaskGroup(of: (String, String).self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let path = "/\(number)"
                            return (path, try await client.send(request(.get, path, port: server.port)).text)
                        }
                    }
                    for try await (path, text) in group { #expect(text == "GET \(path)  \n") }
                }
                #expect(server.connections <= 8)
            }
        }
    }

    @Test("A connection is reused")
    func keepAlive() async throws {
        try await withServer { server in
            try await withClient { client in
                for _ in 0..<5 {
                    let response = try await client.send(request(port: server.port))
                    #expect(response.status == 200)
                }
                #expect(server.connections == 1)
            }
        }
    }

    @Test("A request after the end of an idle connection uses a new connection")
    func staleConnection() async throws {
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            connection.answer("a")
        }
        try await withClient { client in
            for _ in 0..<5 {
                let response = try await client.send(request(port: server.port))
                #expect(response.text == "a")
            }
        }
        #expect(server.connections == 5)
    }

    @Test("A proxy in the environment is ignored")
    func proxy() async throws {
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"]
        for name in names { setenv(name, "http://127.0.0.1:1", 1) }
        defer { for name in names { unsetenv(name) } }
        try await withServer { server in
            try await withClient { client in
                let response = try await client.send(request(port: server.port))
                #expect(response.status == 200)
            }
        }
    }
}
