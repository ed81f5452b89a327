import Encoding
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

/// `customToken(at:)` makes a token with the uid `ada`.
@Suite("Accounts of custom tokens", .serialized)
struct CustomTokenAccountTests {
    @Test("A custom token signs in to an account with other sign-in methods, which remain")
    func knownAccount() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let tokens = try await gateway.signUp(email: "ada@example.com")
        let token = try backend.customToken(uid: tokens.localId, at: gateway.clock.now)
        let answer = try await gateway.signIn(customToken: token)
        #expect(answer.json["isNewUser"] == false)
        #expect(try claims(of: try #require(answer.json["idToken"]?.string))["email"] == "ada@example.com")
        #expect(try await gateway.signIn().outcome == "200")
        #expect(try await gateway.lookup(tokens.idToken).outcome == "200")
    }

    @Test("A disabled account cannot sign in with a custom token")
    func disabled() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).outcome == "200")
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(try await gateway.signIn(customToken: token).outcome == "400 USER_DISABLED")
    }

    @Test(
        "A token issued in a later second than the deletion creates the account again, without earlier data"
    )
    func deleted() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let id = try await gateway.signUp().localId
        let issuedBeforeDeletion =
            "400 INVALID_CUSTOM_TOKEN : The custom token was issued before the account of its uid was deleted."
        for _ in 1...2 {
            let token = try backend.customToken(uid: id, at: gateway.clock.now)
            let currentIDToken = try #require(try await gateway.signIn(customToken: token).json["idToken"]?.string)
            // Custom tokens state whole seconds. The deletion is in the middle of a second.
            gateway.clock.advance(by: .milliseconds(1500))
            #expect(try await gateway.delete(currentIDToken).outcome == "200")
            gateway.clock.advance(by: .milliseconds(400))
            let sameSecond = try backend.customToken(uid: id, at: gateway.clock.now)
            for token in [token, sameSecond] {
                #expect(try await gateway.signIn(customToken: token).outcome == issuedBeforeDeletion)
            }
            #expect(try await gateway.lookup(currentIDToken).outcome == "400 USER_NOT_FOUND")
            gateway.clock.advance(by: .milliseconds(100))
            let newer = try await gateway.signIn(
                customToken: backend.customToken(uid: id, at: gateway.clock.now))
            #expect(newer.json["isNewUser"] == true)
            #expect(try claims(of: try #require(newer.json["idToken"]?.string))["email"] == nil)
            #expect(try await gateway.lookup(currentIDToken).outcome == "400 TOKEN_EXPIRED")
        }
    }

    @Test(
        "After an administrator's deletion, an older token signs in only if the account was created again",
        arguments: [false, true])
    func deletedByAdministrator(isBatch: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).outcome == "200")
        gateway.clock.advance(by: .seconds(1))
        let deleted =
            isBatch
            ? try await gateway.administerAccounts(":batchDelete", ["localIds": ["ada"], "force": true])
            : try await gateway.administerAccounts(":delete", ["localId": "ada"])
        #expect(deleted.outcome == "200")
        #expect(try await gateway.signIn(customToken: token).status == 400)
        #expect(try await gateway.createAccountAsAdmin(["localId": "ada"]).outcome == "200")
        let answer = try await gateway.signIn(customToken: token)
        #expect(answer.json["isNewUser"] == false)
    }

    @Test("A token does not recreate an account while the account is being deleted")
    func deletedMeanwhile() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).outcome == "200")
        let pool = gateway.database.pool
        let answer = try await pool.transaction { transaction in
            try await transaction.execute("DELETE FROM account")
            try await transaction.execute(
                "INSERT INTO deleted_account VALUES ('demo', 'ada', '2100-01-01T00:00:00Z')")
            let answer = Task { try await gateway.signIn(customToken: token) }
            try await gateway.database.waitForBlockedStatements()
            return answer
        }
        #expect(try await answer.value.status == 400)
        #expect(try await pool.query("SELECT id FROM account").isEmpty)
    }

    @Test("Dev mode recreates an account for a token without a valid issue time")
    func unsigned() async throws {
        let dev = try await TestGateway(mode: .emulator(project: ID("demo")))
        _ = try await ServiceKey(in: dev)
        func token(_ issuedAt: String) -> String { #"{"uid":"ada"\#(issuedAt)}"# }
        for issuedAt in ["", #","iat":1e300"#, #","iat":-1"#, #","iat":"1""#, #","iat":1800009999"#] {
            let answer = try await dev.signIn(customToken: token(issuedAt))
            #expect(answer.json["isNewUser"] == true, "\(issuedAt)")
            dev.clock.advance(by: .seconds(1))
            #expect(try await dev.delete(try #require(answer.json["idToken"]?.string)).outcome == "200")
        }
        #expect(
            try await dev.signIn(customToken: token(#","iat":1800000000"#)).status == 400,
            "a valid issue time, before the deletion")
    }

    @Test("Concurrent sign-ins with a custom token create one account")
    func race() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(at: gateway.clock.now)
        let answers = try await concurrently(8) { _ in try await gateway.signIn(customToken: token) }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(answers.filter { $0.json["isNewUser"] == true }.count == 1)
    }

    @Test("A sign-in with a custom token is not a recent login after five minutes")
    func recentLoginMaxAge() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let answer = try await gateway.signIn(customToken: backend.customToken(at: gateway.clock.now))
        gateway.clock.advance(by: .seconds(301))
        let idToken = try #require(answer.json["idToken"]?.string)
        #expect(try await gateway.delete(idToken).outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }
}
