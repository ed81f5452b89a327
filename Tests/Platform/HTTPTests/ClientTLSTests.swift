import HTTP
import Testing

@Suite("A client's encrypted connection", .timeLimit(.minutes(1)))
struct ClientTLSTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("is made if the certificate is trusted and names the host")
    func trusted() async throws {
        let server = try SecureServer(name: "localhost", answer: Self.answer)
        try await withClient(certificateAuthorities: server.certificate) { client in
            let response = try await client.send(request("localhost", server, .anywhere))
            #expect(response.text == "ok")
        }
    }

    @Test(
        "is not made otherwise",
        arguments: [
            ("localhost", "localhost", false), ("localhost", "127.0.0.1", true), ("example.com", "localhost", true),
        ]
    )
    func notBelieved(name: String, host: String, isKnown: Bool) async throws {
        let server = try SecureServer(name: name, answer: Self.answer)
        try await withClient(certificateAuthorities: isKnown ? server.certificate : nil) { client in
            await #expect(throws: ClientFault.tlsFailed) { try await client.send(request(host, server, .anywhere)) }
        }
    }

    @Test("needs a trusted certificate")
    func noAuthorities() async throws {
        let server = try SecureServer(name: "localhost", answer: Self.answer)
        try await withClient(certificateAuthorities: "/nothing/here.pem") { client in
            await #expect(throws: ClientFault.tlsFailed) {
                try await client.send(request("localhost", server, .anywhere))
            }
        }
    }

    @Test("is not reused by a request with a stricter policy")
    func notShared() async throws {
        let server = try SecureServer(name: "localhost", answer: Self.answer)
        try await withClient(certificateAuthorities: server.certificate) { client in
            let response = try await client.send(request("localhost", server, .configured(allowingPrivate: true)))
            #expect(response.status == 200)
            await #expect(throws: ClientFault.destinationNotAllowed) {
                try await client.send(request("localhost", server, .configured(allowingPrivate: false)))
            }
        }
    }

    private func request(
        _ host: String, _ server: SecureServer, _ destination: ClientRequest.Destination
    ) -> ClientRequest {
        ClientRequest(.get, "https://\(host):\(server.port)/", deadline: .seconds(5), destination: destination)
    }
}
