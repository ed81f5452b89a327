import HTTP
import Identity
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("The audit trail in dev mode")
struct DevAuditTests {
    @Test("Callers without a service key are recorded with the actor `emulator`")
    func emulator() async throws {
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo")))
        let events = try await gateway.newAuditEvents {
            // The emulator's token, and a token of the form of Google's access tokens.
            for bearer in ["owner", "ya29.token"] {
                let body: JSON = ["localId": .string(bearer)]
                let created = try await gateway.send(
                    .post, "/v1/projects/demo/accounts", body: try body.bytes, query: [],
                    headers: ["Authorization": "Bearer \(bearer)"])
                #expect(created.outcome == "200")
            }
            let config: JSON = ["authorizedDomains": ["localhost", "example.com"]]
            let changed = try await gateway.send(
                .patch, "/v2/projects/demo/config", body: try config.bytes,
                query: [("updateMask", "authorizedDomains")],
                headers: ["Authorization": "Bearer owner"])
            #expect(changed.outcome == "200")
        }
        #expect(
            events.map(\.description).sorted() == [
                "emulator account.created owner", "emulator account.created ya29.token",
                "emulator project.changed demo members=authorizedDomains",
            ])
        #expect(events.allSatisfy { $0.requestID != nil && $0.network != nil })
    }
}
