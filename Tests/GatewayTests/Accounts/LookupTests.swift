import HTTP
import Identity
import Testing

@testable import Support

@Suite("lookup and getProject, and requests without a valid ID token")
struct LookupTests {
    private static let shared = Task { try await TestGateway(.sekisho) }

    @Test("lookup returns the account of the ID token and ignores other IDs in the request")
    func lookup() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: "eve@example.com")
        let ada = try TestGateway.Tokens(
            await gateway.post(
                "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1", "displayName": "Ada"]))
        let response = try await gateway.post(
            "/v1/accounts:lookup", ["idToken": .string(ada.idToken), "localId": ["eve"]])
        let provider =
            #"{"displayName":"Ada","email":"ada@example.com","federatedId":"ada@example.com","providerId":"password","rawId":"ada@example.com"}"#
        #expect(
            response.outcomeWithBody
                == #"200 {"kind":"identitytoolkit#GetAccountInfoResponse","users":[{"createdAt":"1800000000000","disabled":false,"displayName":"Ada","email":"ada@example.com","emailVerified":false,"lastLoginAt":"1800000000000","lastRefreshAt":"2027-01-15T08:00:00.000Z","localId":"\#(ada.localId)","passwordHash":"UkVEQUNURUQ=","passwordUpdatedAt":1800000000000,"providerUserInfo":[\#(provider)],"validSince":"1800000000"}]}"#
        )
    }

    @Test(
        "A request without a valid ID token is rejected",
        arguments: [
            ("lookup", "{}", "MISSING_ID_TOKEN"), ("lookup", #"{"idToken":""}"#, "MISSING_ID_TOKEN"),
            ("lookup", #"{"localId":["ada"]}"#, "MISSING_ID_TOKEN"), ("delete", "{}", "MISSING_ID_TOKEN"),
            ("delete", #"{"localId":"ada"}"#, "MISSING_ID_TOKEN"), ("lookup", #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"),
            ("delete", #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"), ("update", #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"),
            ("update", "{}", "INVALID_REQ_TYPE : Unsupported request parameters."),
            ("update", #"{"localId":"ada","displayName":"x"}"#, "INVALID_REQ_TYPE : Unsupported request parameters."),
        ])
    func tokens(operation: String, body: String, message: String) async throws {
        let response = try await Self.shared.value.post("/v1/accounts:\(operation)", text: body)
        #expect(response.outcome == "400 \(message)")
    }

    @Test("getProject returns the project number as text")
    func project() async throws {
        let gateway = try await Self.shared.value
        #expect(
            try await gateway.send(.get, "/v1/projects").outcomeWithBody
                == #"200 {"authorizedDomains":["localhost"],"projectId":"\#(gateway.realm.project.number)"}"#)
    }
}
