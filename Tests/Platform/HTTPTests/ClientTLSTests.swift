import HTTP
import Testing

@Suite("TLS connections of a client", .timeLimit(.minutes(5)))
struct ClientTLSTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("A connection is made if the certificate is trusted and names the host")
    func trusted() async throws {
        let server = try SecureServer(name: "localhost", answer: Self.answer)
        try await withClient(certificateAuthorities: server.certificate) { client in
            let response = try await client.send(request("localhost", server, .fromOperator))
            #expect(response.text == "ok")
        }
    }

    @Test(
        "A connection fails if the certificate is not trusted or does not name the host",
        arguments: [
            ("localhost", "localhost", false), ("localhost", "127.0.0.1", true), ("example.com", "localhost", true),
        ]
    )
    func invalidCertificate(name: String, host: String, isTrusted: Bool) async throws {
        let server = try SecureServer(name: name, answer: Self.answer)
        try await withClient(certificateAuthorities: isTrusted ? server.certificate : nil) { client in
            await #expect(throws: ClientFault.tlsFailed) {
                try await client.send(request(host, server, .fromOperator))
            }
        }
    }

    @Test("A connection fails if the file of certificate authorities does not exist")
    func noAuthorities() async throws {
        let server = try SecureServer(name: "localhost", answer: Self.answer)
        try await withClient(certificateAuthorities: "/nothing/here.pem") { client in
            await #expect(throws: ClientFault.tlsFailed) {
                try await client.send(request("localhost", server, .fromOperator))
            }
        }
    }

    @Test("A request does not reuse a connection to a destination that the request does not allow")
    func notShared() async throws {
        let server = try SecureServer(name: "localhost", answer: Self.answer)
        try await withClient(certificateAuthorities: server.certificate) { client in
            let response = try await client.send(
                request("localhost", server, .fromProject(allowingPrivateAddresses: true)))
            #expect(response.status == 200)
            await #expect(throws: ClientFault.destinationNotAllowed) {
                try await client.send(request("localhost", server, .fromProject(allowingPrivateAddresses: false)))
            }
        }
    }

    private func request(
        _ host: String, _ server: SecureServer, _ destination: ClientRequest.Destination
    ) -> ClientRequest {
        ClientRequest(.get, "https://\(host):\(server.port)/", deadline: .seconds(5), destination: destination)
    }
}
