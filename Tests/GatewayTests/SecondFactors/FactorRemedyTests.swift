import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Remedies and second factors")
struct FactorRemedyTests {
    @Test("The link in the notice removes the factor and what was added later, ends all sessions, and sets a password")
    func revert() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        let eve = try await gateway.enrol(try TestGateway.Tokens(await gateway.signIn()))
        let code = try await gateway.latestCode(.factorAdded)
        #expect(try await gateway.link(gateway.googleCredential(), to: eve.idToken).status == 200)
        #expect(try await gateway.generateRecoveryCodes(eve.idToken).status == 200)
        #expect(try await gateway.checkCode(code).json["requestType"] == "REVERT_SECOND_FACTOR_ADDITION")
        let page = try await gateway.openActionPage(code)
        #expect(page.text.contains("Remove an authenticator app"), "\(page.text)")
        let passwordPage = try await gateway.submitActionPage(code)
        #expect(passwordPage.text.contains("Now set a new password"), "\(passwordPage.text)")
        #expect(try await gateway.lookup(eve.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
        let user = try await gateway.accountSeenByAdmin(ada.localId)
        #expect(user["mfaInfo"] == nil)
        #expect(user["providerUserInfo"]?[1] == nil)
        #expect(try await gateway.signIn().json["idToken"] != nil)
        let codes: Int64? = try await gateway.database.pool.query("SELECT count(*) AS count FROM recovery_code").first?
            .decode("count")
        #expect(codes == 0)
    }

    @Test("A client can redeem the link's code")
    func update() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        #expect(try await gateway.applyCode(gateway.latestCode(.factorAdded)).status == 200)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] == nil)
    }

    @Test("A password reset keeps the link that removes a factor, because it keeps the factor")
    func reset() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let revert = try await gateway.latestCode(.factorAdded)
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(reset).status == 200)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] != nil)
        #expect(try await gateway.applyCode(revert).status == 200)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] == nil)
    }

    @Test("A reset by someone who has only the mailbox does not make the client's network a known one")
    func resetNetwork() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        _ = try await gateway.signUpEnrolled()
        _ = try await gateway.database.pool.execute("DELETE FROM known_network")
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(reset).status == 200)
        #expect(try await gateway.database.pool.query("SELECT FROM known_network").isEmpty)
    }

    @Test("An email link to the account's own address is no recent login without the factor")
    func emailLinkOfCaller() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        gateway.clock.advance(by: .seconds(240))
        let authTime = try claims(of: ada.idToken)["auth_time"]
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
        let linked = try await gateway.signInWithEmailLink(
            "ada@example.com", code, ["idToken": .string(ada.idToken)])
        let idToken = try #require(linked.json["idToken"]?.string, "\(linked.text)")
        #expect(try claims(of: idToken)["auth_time"] == authTime)
    }

    @Test("The removal link of an identity removes factors that were added after it, and keeps earlier ones")
    func removal() async throws {
        for addsFactorFirst in [true, false] {
            let gateway = try await TestGateway.withSecondFactors()
            var session = try await gateway.signUpVerified()
            if addsFactorFirst {
                let enrolled = try await gateway.enrol(session)
                session = TestGateway.Tokens(
                    localId: enrolled.localId, idToken: enrolled.idToken, refreshToken: enrolled.refreshToken)
            }
            #expect(try await gateway.link(gateway.googleCredential(), to: session.idToken).status == 200)
            gateway.clock.advance(by: .seconds(1))
            if !addsFactorFirst { _ = try await gateway.enrol(session) }
            _ = try await gateway.submitActionPage(gateway.latestCode(.identityLinked))
            let user = try await gateway.accountSeenByAdmin(session.localId)
            #expect((user["mfaInfo"] != nil) == addsFactorFirst)
        }
    }

    @Test("The link that restores an address removes factors enrolled after the change, and keeps earlier ones")
    func recovery() async throws {
        for enrolsFirst in [true, false] {
            let gateway = try await TestGateway.withSecondFactors()
            let ada = try await gateway.signUpVerified()
            let idToken = enrolsFirst ? try await gateway.enrol(ada).idToken : ada.idToken
            gateway.clock.advance(by: .seconds(1))
            let changed = try TestGateway.Tokens(await gateway.update(idToken, ["email": "eve@example.com"]))
            gateway.clock.advance(by: .seconds(1))
            _ = try await gateway.database.pool.execute("UPDATE account SET email_verified = true")
            if !enrolsFirst { _ = try await gateway.enrol(changed) }
            #expect(try await gateway.applyCode(gateway.latestCode(.emailChanged)).status == 200)
            let user = try await gateway.accountSeenByAdmin(ada.localId)
            #expect(user["email"] == "ada@example.com")
            #expect((user["mfaInfo"] != nil) == enrolsFirst)
        }
    }

    @Test("A user who proves the address of an account that never verified it gets the account without its factors")
    func reclaim() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let eve = try await gateway.signUpEnrolled()
        #expect(try await gateway.generateRecoveryCodes(eve.idToken).status == 200)
        _ = try await gateway.database.pool.execute("UPDATE account SET email_verified = false")
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
        let signedIn = try await gateway.signInWithEmailLink("ada@example.com", code)
        #expect(signedIn.json["idToken"] != nil, "\(signedIn.text)")
        #expect(try await gateway.accountSeenByAdmin(eve.localId)["mfaInfo"] == nil)
        let codes: Int64? = try await gateway.database.pool.query("SELECT count(*) AS count FROM recovery_code").first?
            .decode("count")
        #expect(codes == 0)
    }

    @Test("A federated reclaim removes the factors too")
    func federatedReclaim() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let verified = try await gateway.signUpVerified(email: "mary.somerville@gmail.com")
        #expect(try await gateway.link(gateway.appleCredential(), to: verified.idToken).status == 200)
        let eve = try await gateway.enrol(verified)
        _ = try await gateway.database.pool.execute("UPDATE account SET email_verified = false")
        let events = try await gateway.newAuditEvents {
            let signedIn = try await gateway.signIn(gateway.googleCredential(.mary))
            #expect(signedIn.json["localId"]?.string == eve.localId, "\(signedIn.text)")
            #expect(signedIn.json["idToken"] != nil, "\(signedIn.text)")
        }
        #expect(try await gateway.accountSeenByAdmin(eve.localId)["mfaInfo"] == nil)
        #expect(
            events.map(\.action) == ["account.reclaimed", "factor.removed", "identity.unlinked", "password.removed"])
    }

    @Test(
        "Of an enrolment and a remedy at once, the remedy wins: the account has no factor",
        arguments: [true, false])
    func race(enrolsFirst: Bool) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        let eve = try TestGateway.Tokens(await gateway.signIn())
        let code = try await gateway.latestCode(.identityLinked)
        let started = try await gateway.startEnrolment(eve.idToken)
        let info = try #require(started.json["totpSessionInfo"], "\(started.text)")
        let (sessionInfo, app) = (try #require(info["sessionInfo"]?.string), try AuthenticatorApp(info))
        let requests: [@Sendable () async throws -> Exchange] = [
            {
                try await gateway.finalizeEnrolment(
                    eve.idToken, sessionInfo: sessionInfo, code: app.code(at: gateway.clock.now))
            }, { try await gateway.submitActionPage(code) },
        ]
        let tasks = try await gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute("SELECT FROM account FOR UPDATE")
            var tasks: [Task<Exchange, any Error>] = []
            for (number, request) in (enrolsFirst ? requests : requests.reversed()).enumerated() {
                tasks.append(Task { try await request() })
                try await gateway.database.waitForBlockedStatements(number + 1)
            }
            return tasks
        }
        for task in tasks { _ = try await task.value }
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] == nil)
        #expect(try await gateway.lookup(eve.idToken).status == 400)
    }
}
