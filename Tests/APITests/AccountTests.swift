import HTTP
import Identity
import Testing

@testable import API

@Suite("lookup, delete and getProject")
struct AccountTests {
    @Test("lookup shows the caller, and nobody else who is asked for")
    func lookup() async {
        let response = await TestGateway().post("accounts:lookup", #"{\#(TestGateway.adaMember),"localId":["eve"]}"#)
        let provider =
            #"{"displayName":"Ada","email":"ada@example.com","federatedId":"ada@example.com","providerId":"password","rawId":"ada@example.com"}"#
        #expect(
            response.summary
                == #"200 {"kind":"identitytoolkit#GetAccountInfoResponse","users":[{"createdAt":"1767225600123","disabled":false,"displayName":"Ada","email":"ada@example.com","emailVerified":false,"lastLoginAt":"1767225600123","localId":"ada","passwordUpdatedAt":1767225600123,"providerUserInfo":[\#(provider)],"validSince":"1767225600"}]}"#
        )
    }

    @Test("an anonymous account has next to nothing to show")
    func anonymous() {
        let user = UserInfo(Account(id: ID("x"), createdAt: now, validSince: now))
        #expect(user.email == nil && user.emailVerified == nil && user.providerUserInfo == nil)
    }

    @Test("identities follow the password")
    func identities() {
        var account = ada
        account.identities = [LinkedIdentity(provider: ProviderID("apple.com"), subject: "000.1")]
        account.lastRefreshAt = now
        let user = UserInfo(account)
        #expect(user.providerUserInfo?.map(\.providerId) == ["password", "apple.com"])
        #expect(user.providerUserInfo?.map(\.federatedId) == ["ada@example.com", "000.1"])
        #expect(user.lastRefreshAt == "2026-01-01T00:00:00.123Z")
    }

    @Test(
        "a time is written as the calendar has it",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ])
    func timestamp(milliseconds: Int64, text: String) {
        #expect(Instant(microseconds: milliseconds * 1000).iso8601 == text)
    }

    @Test(
        "nobody gets in without a token that is one",
        arguments: [
            ("lookup", "{}", "MISSING_ID_TOKEN"), ("lookup", #"{"idToken":""}"#, "MISSING_ID_TOKEN"),
            ("lookup", #"{"localId":["ada"]}"#, "MISSING_ID_TOKEN"), ("delete", "{}", "MISSING_ID_TOKEN"),
            ("delete", #"{"localId":"ada"}"#, "MISSING_ID_TOKEN"), ("lookup", #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"),
            ("delete", #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"), ("update", #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"),
            ("update", "{}", "INVALID_REQ_TYPE : Unsupported request parameters."),
            ("update", #"{"localId":"ada","displayName":"x"}"#, "INVALID_REQ_TYPE : Unsupported request parameters."),
        ])
    func tokens(operation: String, body: String, message: String) async {
        #expect(await TestGateway().post("accounts:\(operation)", body).summary == "400 \(message)")
    }

    @Test("delete deletes the caller")
    func delete() async {
        let gateway = TestGateway()
        let first = await gateway.post("accounts:delete", "{\(TestGateway.adaMember)}")
        #expect(first.summary == #"200 {"kind":"identitytoolkit#DeleteAccountResponse"}"#)
        #expect(await gateway.post("accounts:lookup", "{\(TestGateway.adaMember)}").summary == "400 USER_NOT_FOUND")
    }

    @Test("getProject gives the number as text")
    func project() async {
        #expect(
            await TestGateway().send(.get, "/v1/projects").summary
                == #"200 {"authorizedDomains":["localhost"],"projectId":"4815"}"#)
    }
}
