import Identity
import Testing

@testable import Support

@Suite("createAuthUri for an identifier")
struct IdentifierTests {
    @Test(
        "createAuthUri checks its members in the order of the wire protocol",
        arguments: [
            ([:], "400 MISSING_IDENTIFIER"),
            (["identifier": "ada@example.com"], "400 MISSING_CONTINUE_URI"),
            (["identifier": "nonsense", "continueUri": "http://localhost"], "400 INVALID_IDENTIFIER"),
            (["identifier": "ada@example.com", "continueUri": "nonsense"], "400 INVALID_CONTINUE_URI"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        #expect(try await TestGateway().post("/v1/accounts:createAuthUri", body).outcome == expected)
    }

    @Test("createAuthUri returns sign-in methods without enumeration protection")
    func methods() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let known = try await gateway.createAuthUri(for: "ADA@example.com")
        #expect(known.json["registered"] == true)
        #expect(known.json["signinMethods"] == ["password"])
        #expect(known.json["allProviders"] == ["password"])
        #expect(known.json["sessionId"]?.string?.count == 27, "a random ID")
        let unknown = try await gateway.createAuthUri(for: "eve@example.com")
        #expect(unknown.json["registered"] == false)
        #expect(unknown.json["signinMethods"] == nil || unknown.json["signinMethods"] == [])
    }

    @Test("createAuthUri returns no sign-in methods with enumeration protection")
    func hidden() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        _ = try await gateway.signUp()
        for identifier in ["ada@example.com", "eve@example.com"] {
            #expect(try await gateway.createAuthUri(for: identifier).json.keys == ["kind", "sessionId"])
        }
    }
}

extension TestGateway {
    fileprivate func createAuthUri(for identifier: String) async throws -> Exchange {
        try await post(
            "/v1/accounts:createAuthUri", ["identifier": .string(identifier), "continueUri": "http://localhost"])
    }
}
