import Crypto
import EventLoop
import HTTP
import Testing
import Webhooks

@Suite("Calls to the operator's servers", .timeLimit(.minutes(1)))
struct SignedCallTests {
    /// Sends a request with a client of its own, and returns why there is no response.
    private func fault(of url: String, _ egress: SignedCall.Egress) async throws -> ClientFault? {
        let loop = try Loop(name: "client")
        let client = try Client(loop: loop)
        var fault: ClientFault?
        do {
            _ = try await SignedCall(client, egress: egress).post([], to: url, deadline: .seconds(3))
        } catch let error as ClientFault {
            fault = error
        }
        await client.close()
        loop.stop()
        return fault
    }

    @Test(
        "A URL without TLS and a private address are rejected before a connection is made",
        arguments: [
            "http://example.com/", "https://127.0.0.1:9/", "https://10.0.0.1/", "https://169.254.169.254/",
            "https://[::1]:9/", "https://[::ffff:10.0.0.1]/", "https://localhost:9/",
        ])
    func rejected(url: String) async throws {
        #expect(try await fault(of: url, .publicAddresses) == .destinationNotAllowed)
    }

    @Test("If the operator allows private addresses, TLS is still necessary")
    func privateAddresses() async throws {
        #expect(try await fault(of: "http://127.0.0.1:9/", .privateAddressesToo) == .destinationNotAllowed)
        #expect(try await fault(of: "https://127.0.0.1:9/", .privateAddressesToo) == .unreachable)
    }

    @Test("For development, this machine is called without TLS, and no other one")
    func development() async throws {
        #expect(try await fault(of: "http://127.0.0.1:9/", .loopbackWithoutTLS) == .unreachable)
        #expect(try await fault(of: "http://10.0.0.1/", .loopbackWithoutTLS) == .destinationNotAllowed)
    }

    @Test("A signed request has the fields of Standard Webhooks")
    func signed() async throws {
        let secret = WebhookSecret.generate()
        let signature = WebhookSignature(of: Array("{}".utf8), id: "a", at: 1, secrets: [secret])
        let call = SignedCall(egress: .publicAddresses) { request in
            #expect(request.method == .post)
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["webhook-id"] == "a")
            #expect(request.headers["webhook-timestamp"] == "1")
            #expect(request.headers["webhook-signature"] == signature.signatures)
            throw ClientFault.closed
        }
        await #expect(throws: ClientFault.closed) {
            try await call.post(
                Array("{}".utf8), to: "https://example.com/", signature: signature, deadline: .seconds(1))
        }
    }
}
