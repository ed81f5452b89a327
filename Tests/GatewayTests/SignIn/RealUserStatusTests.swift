import Encoding
import HTTP
import JSON
import Simulators
import Testing

@testable import Support

@Suite("Apple's realUserStatus")
struct RealUserStatusTests {
    @Test("A lookup returns the realUserStatus of the first sign-in, and only to administrators")
    func realUserStatus() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let first = try await gateway.signIn(
            gateway.appleCredential(.grace) { $0.claims["real_user_status"] = .integer(2) })
        let again = try await gateway.signIn(gateway.appleCredential(.grace) { $0.claims["real_user_status"] = nil })
        let id = try #require(first.json["localId"]?.string)
        let found = try await gateway.administerAccounts(":lookup", ["localId": [.string(id)]])
        let identity = found.json["users"]?[0]?["providerUserInfo"]?[0]
        #expect(identity?["realUserStatus"] == "LIKELY_REAL", "\(found.text)")
        #expect(identity?["isPrivateEmail"] == true)
        let seen = try await gateway.accountSeenByUser(try #require(again.json["idToken"]?.string))
        #expect(seen["providerUserInfo"]?[0]?["realUserStatus"] == nil)
        #expect(seen["providerUserInfo"]?[0]?["isPrivateEmail"] == true)
    }

    private func signInAttributes(_ exchange: Exchange, tokenMember: String = "idToken") throws -> JSON? {
        let claims = try claims(of: try #require(exchange.json[tokenMember]?.string))
        return claims["firebase"]?["sign_in_attributes"]
    }

    @Test("A realUserStatus from Apple is in the tokens of sessions that Sign in with Apple opened, and in no others")
    func sessionTokens() async throws {
        let gateway = try await TestGateway()
        let expected: JSON = ["real_user_status": 1]
        let first = try await gateway.signIn(
            gateway.appleCredential(.grace) { $0.claims["real_user_status"] = .integer(1) })
        #expect(try signInAttributes(first) == expected)
        let again = try await gateway.signIn(
            gateway.appleCredential(.grace) { $0.claims["real_user_status"] = .integer(2) })
        #expect(try signInAttributes(again) == expected, "the status of the first sign-in")
        let refreshed = try await gateway.post(
            "/v1/token",
            ["grantType": "refresh_token", "refreshToken": try #require(again.json["refreshToken"])])
        #expect(try signInAttributes(refreshed, tokenMember: "id_token") == expected)
        let idToken = try #require(again.json["idToken"]?.string)
        let linked = try await gateway.link(gateway.googleCredential(.grace), to: idToken)
        #expect(linked.status == 200)
        #expect(
            try signInAttributes(linked) == nil, "linking Google opened this session, and Google has no such claim")
        let ada = try await gateway.signIn(gateway.appleCredential(.ada) { $0.claims["real_user_status"] = nil })
        #expect(try signInAttributes(ada) == nil)
    }

    @Test("Administrators can search for accounts by realUserStatus")
    func search() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ids: [String] = []
        // 2 is LIKELY_REAL, and 0 is UNSUPPORTED.
        for (person, status) in [(SimulatedPerson.ada, 2), (.grace, 0)] {
            let signedIn = try await gateway.signIn(
                gateway.appleCredential(person) { $0.claims["real_user_status"] = .integer(Int64(status)) })
            ids.append(try #require(signedIn.json["localId"]?.string))
        }
        _ = try await gateway.signUp()
        func search(_ query: (name: String, value: String)...) async throws -> Exchange {
            try await gateway.callProjectAsAdmin(
                .get, "/accounts:search", query: query, bearer: TestGateway.serviceKeySecret)
        }
        #expect(try await search(("realUserStatus", "LIKELY_REAL")).accountIDs == [ids[0]])
        #expect(try await search(("realUserStatus", "UNSUPPORTED")).accountIDs == [ids[1]])
        #expect(try await search(("realUserStatus", "UNKNOWN")).accountIDs == [])
        #expect(
            try await search(("realUserStatus", "2")).outcome
                == "400 Invalid JSON payload received. /realUserStatus must be equal to one of the allowed values: UNSUPPORTED, UNKNOWN, LIKELY_REAL"
        )
        #expect(
            try await search(("realUserStatus", "UNKNOWN"), ("q", "a")).outcome
                == "400 Invalid JSON payload received. /realUserStatus must be absent if q is present")
    }
}
