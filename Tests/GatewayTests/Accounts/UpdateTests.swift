import HTTP
import Identity
import Postgres
import Synchronization
import Testing

@testable import Support

/// `signUp()` and `signIn()` use the address ada@example.com and the password `secret1`.
@Suite("Changing an account")
struct UpdateTests {
    @Test("Name and photo are set, kept and removed without new tokens and without a recent login")
    func profile() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        // A login is recent for 300 seconds, and an ID token is valid for 3600.
        gateway.clock.advance(by: .seconds(3000))
        let set = try await gateway.update(
            tokens.idToken, ["displayName": "Ada", "photoUrl": "https://example.com/a.png"])
        #expect(set.status == 200)
        #expect(set.json["kind"] == "identitytoolkit#SetAccountInfoResponse")
        #expect(set.json["displayName"] == "Ada")
        #expect(set.json["idToken"] == nil && set.json["refreshToken"] == nil)
        let kept = try await gateway.update(tokens.idToken, ["displayName": "Ada L."])
        #expect(kept.json["photoUrl"] == "https://example.com/a.png")
        let removed = try await gateway.update(tokens.idToken, ["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]])
        #expect(removed.json["displayName"] == nil && removed.json["photoUrl"] == nil)
    }

    @Test("A new password ends every session and opens a new one")
    func password() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        let elsewhere = try TestGateway.Tokens(await gateway.signIn())
        gateway.clock.advance(by: .seconds(10))
        let changed = try await gateway.update(tokens.idToken, ["password": "secret2"])
        let fresh = try TestGateway.Tokens(changed)
        for old in [tokens, elsewhere] {
            #expect(try await gateway.lookup(old.idToken).outcome == "400 TOKEN_EXPIRED")
            #expect(try await gateway.refresh(old.refreshToken).outcome == "400 TOKEN_EXPIRED")
        }
        let account = try await gateway.accountSeenByUser(fresh.idToken)
        let validSince = try #require(account["validSince"]?.string.flatMap { Double($0) })
        #expect(try claims(of: fresh.idToken)["auth_time"] == .number(validSince))
        #expect(try await gateway.signIn().outcome == "400 INVALID_PASSWORD")
        #expect(try await gateway.signIn(password: "secret2").outcome == "200")
    }

    @Test("A new address is unverified, frees the old address, and ends every session")
    func email() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        _ = try await gateway.database.pool.execute("UPDATE account SET email_verified = true")
        let changed = try await gateway.update(tokens.idToken, ["email": "Ada2@example.com"])
        #expect(changed.json["email"] == "ada2@example.com")
        #expect(changed.json["emailVerified"] == false)
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 TOKEN_EXPIRED")
        _ = try await gateway.signUp()
        #expect(try await gateway.signIn(email: "ada2@example.com").outcome == "200")
    }

    @Test(
        "Invalid and forbidden changes are rejected, and the session stays valid",
        arguments: [
            (["email": "taken@example.com"], "400 EMAIL_EXISTS"),
            (["email": "nonsense"], "400 INVALID_EMAIL"),
            (["password": "five5"], "400 WEAK_PASSWORD : Password should be at least 6 characters"),
            (["disableUser": true], "400 OPERATION_NOT_ALLOWED"),
            (["customAttributes": "{\"admin\":true}"], "400 INSUFFICIENT_PERMISSION"),
        ] as [([String: JSON], String)])
    func refusals(change: [String: JSON], expected: String) async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: "taken@example.com")
        let tokens = try await gateway.signUp()
        #expect(try await gateway.update(tokens.idToken, change).outcome == expected)
        #expect(try await gateway.lookup(tokens.idToken).outcome == "200", "the session is still valid")
    }

    @Test("Changing credentials or deleting the account needs a recent login; a refresh does not count as a login")
    func recentLoginMaxAge() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        // A login is recent for 300 seconds.
        gateway.clock.advance(by: .seconds(300))
        #expect(try await gateway.update(tokens.idToken, ["email": "ada2@example.com"]).status == 200)
        let second = try TestGateway.Tokens(await gateway.signIn(email: "ada2@example.com"))
        gateway.clock.advance(by: .seconds(301))
        let tooOld = "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
        for change: [String: JSON] in [
            ["password": "secret2"], ["email": "ada3@example.com"], ["deleteAttribute": ["PASSWORD"]],
            ["deleteAttribute": ["EMAIL"]], ["validSince": "1"],
        ] {
            #expect(try await gateway.update(second.idToken, change).outcome == tooOld, "\(change)")
        }
        #expect(try await gateway.delete(second.idToken).outcome == tooOld)
        let refreshed = try #require(try await gateway.refresh(second.refreshToken).json["id_token"]?.string)
        #expect(try await gateway.delete(refreshed).outcome == tooOld, "a refresh is not a login")
        let renewed = try TestGateway.Tokens(await gateway.signIn(email: "ada2@example.com"))
        #expect(try await gateway.delete(renewed.idToken).outcome == "200")
    }

    @Test("A password is rejected if the project does not allow passwords")
    func passwordsNotAllowed() async throws {
        let gateway = try await TestGateway { $0.allowsPasswords = false }
        let anonymous = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let answer = try await gateway.update(anonymous.idToken, ["password": "secret1"])
        #expect(answer.outcome == "400 OPERATION_NOT_ALLOWED")
    }

    @Test("An anonymous account can be deleted without a recent login, because its user cannot sign in again")
    func anonymousIsExempt() async throws {
        let gateway = try await TestGateway()
        let anonymous = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        // A login is recent for 300 seconds, and an ID token is valid for 3600.
        gateway.clock.advance(by: .seconds(3000))
        #expect(try await gateway.delete(anonymous.idToken).outcome == "200")
    }

    @Test("An account with a password but no address needs no recent login, because its user cannot sign in again")
    func passwordWithoutAddress() async throws {
        let gateway = try await TestGateway()
        let anonymous = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let tokens = try TestGateway.Tokens(await gateway.update(anonymous.idToken, ["password": "secret1"]))
        // A login is recent for 300 seconds.
        gateway.clock.advance(by: .seconds(301))
        #expect(try await gateway.update(tokens.idToken, ["email": "ada@example.com"]).outcome == "200")
    }

    @Test(
        "validSince is set after hashing, so that a token issued during the hashing becomes invalid",
        arguments: [false, true])
    func slowHash(isUpgrade: Bool) async throws {
        /// If this is set, the next call of `slow.hash` signs in at this gateway.
        let signInGateway = Mutex<TestGateway?>(nil)
        let issued = Mutex<TestGateway.Tokens?>(nil)
        var slow = PasswordHasher.withoutHashing
        slow.hash = { password, network in
            if let gateway = signInGateway.withLock({ $0.take() }) {
                gateway.clock.advance(by: .seconds(3))
                let tokens = try TestGateway.Tokens(await gateway.signIn())
                issued.withLock { $0 = tokens }
                gateway.clock.advance(by: .seconds(2))
            }
            return try await PasswordHasher.withoutHashing.hash(password, network)
        }
        let gateway = try await TestGateway(passwords: slow)
        let tokens = try await gateway.signUp()
        signInGateway.withLock { $0 = gateway }
        let began = gateway.clock.now.seconds
        let changed =
            isUpgrade
            ? try await gateway.post(
                "/v1/accounts:signUp",
                ["idToken": .string(tokens.idToken), "email": "ada@example.com", "password": "secret2"])
            : try await gateway.update(tokens.idToken, ["password": "secret2"])
        let fresh = try TestGateway.Tokens(changed)
        #expect(try await gateway.accountSeenByUser(fresh.idToken)["validSince"] == .string("\(began + 5)"))
        let during = try #require(issued.withLock { $0 })
        #expect(try claims(of: during.idToken)["iat"] == .number(Double(began + 3)))
        #expect(try await gateway.lookup(during.idToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test("With email enumeration protection, a change to an unverified address is rejected")
    func hiddenAccounts() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let tokens = try await gateway.signUp()
        let refusal = "400 OPERATION_NOT_ALLOWED : Please verify the new email before changing email."
        #expect(try await gateway.update(tokens.idToken, ["email": "ada2@example.com"]).outcome == refusal)
        let again = try await gateway.post(
            "/v1/accounts:signUp",
            ["idToken": .string(tokens.idToken), "email": "ada2@example.com", "password": "secret2"])
        #expect(again.outcome == refusal)
        #expect(try await gateway.update(tokens.idToken, ["email": "ADA@example.com"]).outcome == "200")
    }

    @Test("A deletion ends the account's sessions at once and makes its address available again")
    func deletion() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        let deleted = try await gateway.delete(tokens.idToken)
        #expect(deleted.json == ["kind": "identitytoolkit#DeleteAccountResponse", "appleRevocation": "NONE"])
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 USER_NOT_FOUND")
        #expect(try await gateway.refresh(tokens.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn().outcome == "400 EMAIL_NOT_FOUND")
        #expect(try await gateway.signUp().localId != tokens.localId)
    }
}
