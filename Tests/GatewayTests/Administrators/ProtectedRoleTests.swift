import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

/// The operators' project does not demand second factors here, so that the API's sessions are not restricted.
@Suite("What protects the accounts of people who use the console", .serialized)
struct ProtectedRoleTests {
    @Test("The password alone changes nothing of an account with a passkey, although no second factor is demanded")
    func passwordAlone() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole, secondFactors: .enabled)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        _ = try await fixture.signInWithPasskey("eve@example.com", as: "owner")
        var device = enrolled
        let password = try await fixture.signInWithPassword(ada)
        for idToken in [password, try await fixture.signInToAPI(&device)] {
            for (path, more) in Self.changes(removing: device) {
                let body = JSON.object(more.merging(["idToken": idToken]) { $1 })
                let response = try await fixture.gateway.post(path, body, key: ConsoleFixture.apiKey)
                let isRefused = response.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
                #expect(isRefused == (idToken == password), "\(path) \(more): \(response.text)")
            }
        }
    }

    @Test("A person whose passkey the console no longer accepts is told what to do, and `check` counts the person")
    func passkeysTurnedOff() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, _) = try await fixture.signInWithPasskey(as: "owner")
        _ = try await fixture.signIn("eve@example.com", as: "owner")
        let check = DatabaseCheck(pool: fixture.gateway.database.pool, masterKeys: fixture.gateway.masterKeys)
        let text = "project other: 1 person has a role in the console and only passkeys that it does not accept"
        #expect(await !check.findings(at: fixture.gateway.clock.now).contains { $0.text.hasPrefix(text) })
        let change: JSON = ["passkeys": ["enabled": false]]
        let changed = try await fixture.gateway.send(
            .patch, "/v2/projects/other/config", change, by: fixture.operatorsKey,
            query: [("updateMask", "passkeys.enabled")])
        #expect(changed.outcome == "200", "\(changed.text)")
        let page = try await ConsoleVisitor(fixture.gateway).enterPassword(ada.email)
        #expect(page.status == 400 && page.text.contains("The console does not accept the passkey of your account."))
        #expect(page.form("enrolment") == nil, "\(page.text)")
        #expect(
            await check.findings(at: fixture.gateway.clock.now).contains { $0.text.hasPrefix(text) && !$0.isGood })
    }

    private static func changes(removing device: TestPasskey) -> [(path: String, members: [String: JSON])] {
        [
            ("/v2/accounts/passkeyEnrollment:start", [:]),
            ("/v1/accounts:sendOobCode", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "thief@example.com"]),
            ("/v1/accounts:update", ["deletePasskey": [.string(device.id)]]),
            ("/v1/accounts:delete", [:]),
        ]
    }

    enum Pair: CaseIterable {
        case ownerIsTarget, ownerIsSource, invitedIsTarget
    }

    @Test("A client merges no account with a role or an invitation, with both sides proven", arguments: Pair.allCases)
    func merge(pair: Pair) async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole, secondFactors: .enabled)
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let (_, enrolled) = try await fixture.signInWithPasskey(as: pair == .invitedIsTarget ? "viewer" : "owner")
        var device = enrolled
        let person = try await fixture.signInToAPI(&device)
        let plain = try await fixture.plainAccount()
        if pair == .invitedIsTarget {
            #expect(try await fixture.invite("plain@example.com", "owner").outcome == "200")
            let found = try await fixture.administer("lookup", ["email": ["ada@example.com"]])
            let id = try #require(found.json["users"]?[0]?["localId"]?.string)
            let role = "/v2/projects/other/administrators/\(id)"
            #expect(try await fixture.gateway.send(.delete, role, by: fixture.operatorsKey).isSuccess)
        }
        let source = pair == .ownerIsTarget ? plain : try await fixture.signInToAPI(&device)
        let target = pair == .ownerIsTarget ? person : plain
        let preview = try await fixture.gateway.post(
            "/v1/accounts:merge", ["idToken": source, "targetIdToken": target, "dryRun": true],
            key: ConsoleFixture.apiKey)
        let merged = try await fixture.gateway.post(
            "/v1/accounts:merge", ["idToken": source, "mergeToken": preview.json["mergeToken"] ?? .null],
            key: ConsoleFixture.apiKey)
        #expect(
            merged.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : An account of a person with a role in the console"),
            "\(preview.text) \(merged.text)")
    }

    @Test("Without the scope that gives roles, an administrator merges no account with a role or an invitation")
    func administratorsMerge() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let ada = try await fixture.signIn(as: "owner")
        let invited = try await fixture.invite("eve@example.com", "viewer").json["localId"]?.string
        for id in ["plain", "other"] {
            let created = try await fixture.gateway.send(
                .post, "/v1/projects/other/accounts", ["localId": .string(id)], by: fixture.operatorsKey)
            #expect(created.isSuccess, "\(created.text)")
        }
        let linking = try await ServiceKey(
            id: "linking", of: ConsoleFixture.operators, in: fixture.gateway, scopes: ServiceKeyScopes([.linkUsers]))
        func merge(_ source: String, into target: String, by key: ServiceKey) async throws -> Exchange {
            let path = "/v1/projects/other/accounts:merge"
            let dryRun: JSON = ["sourceLocalId": .string(source), "localId": .string(target), "dryRun": true]
            let preview = try await fixture.gateway.send(.post, path, dryRun, by: key)
            let commit: JSON = ["mergeToken": preview.json["mergeToken"] ?? .null]
            return try await fixture.gateway.send(.post, path, commit, by: key)
        }
        let refusal = "403 PERMISSION_DENIED : The service key lacks the scope administrators.write."
        let invitee = try #require(invited)
        for (source, target) in [("plain", ada.id), (invitee, "plain"), ("plain", invitee)] {
            #expect(try await merge(source, into: target, by: linking).outcome == refusal)
        }
        #expect(try await merge("other", into: "plain", by: linking).outcome == "200")
        #expect(try await merge("plain", into: ada.id, by: fixture.operatorsKey).outcome == "200")
    }

    /// - Parameter hasRole: whether the person accepts a first role with the app, adds a passkey, and then accepts
    ///   another role.
    @Test("The acceptance of a first role removes factors that its session did not prove", arguments: [false, true])
    func acceptance(hasRole: Bool) async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole, secondFactors: .enabled)
        let plain = try await fixture.plainAccount()
        let (enrolled, app) = try await fixture.enrolApp(plain)
        var device = try TestPasskey.ofConsole()
        try await fixture.addPasskey(&device, enrolled)
        if hasRole {
            let first = try await fixture.openInvitation("plain@example.com", in: "demo")
            fixture.gateway.clock.advance(by: .seconds(30))
            let page = try await first.enterPassword("plain@example.com")
            let code = try app.code(at: fixture.gateway.clock.now)
            #expect(try await first.submit(page, "code", ["code": code]).status == 303)
            // The acceptance has removed the first passkey.
            let own = try await first.open("/console/passkeys")
            device = try TestPasskey.ofConsole()
            let added = try await first.send(try device.register(options: own.passkeyOptions), own, "addPasskey")
            #expect(added.status == 303, "\(added.text)")
        }
        let ada = try await fixture.openInvitation("plain@example.com", in: "other")
        #expect(try await ada.enterPasskey(&device).status == 303)
        #expect(try await fixture.roles(of: ada)[ConsoleFixture.operators] == .owner)
        let thief = try await ConsoleVisitor(fixture.gateway).enterPassword("plain@example.com")
        #expect((thief.heading == "Sign in with your passkey") == !hasRole, "\(thief.text)")
        let notices = try await fixture.gateway.emails(.factorRemoved).map(\.recipient)
        #expect(notices == (hasRole ? [] : ["plain@example.com"]))
        #expect(try await fixture.gateway.emails(.identityUnlinked).count == (hasRole ? 1 : 0))
    }
}

extension ConsoleFixture {
    /// Invites a person as an owner, who opens the link.
    fileprivate func openInvitation(_ email: String, in project: String) async throws -> ConsoleVisitor {
        let invited = try await invite(email, "owner", in: project)
        let link = try #require(invited.json["invitationUri"]?.string)
        let visitor = ConsoleVisitor(gateway)
        visitor.id = try #require(invited.json["localId"]?.string)
        let page = try await visitor.open(String(link.dropFirst("https://auth.example.com".count)))
        _ = try await visitor.submit(page, "invitation", ["email": email])
        return visitor
    }

    /// Enrols an authenticator app, as an app does.
    ///
    /// - Returns: the ID token of the new session.
    fileprivate func enrolApp(_ idToken: JSON) async throws -> (idToken: JSON, AuthenticatorApp) {
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start", ["idToken": idToken, "totpEnrollmentInfo": [:]], key: Self.apiKey)
        let info = try #require(started.json["totpSessionInfo"], "\(started.text)")
        let app = try AuthenticatorApp(info)
        let code = try app.code(at: gateway.clock.now)
        let proof: JSON = ["sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(code)]
        let finalized = try await gateway.post(
            "/v2/accounts/mfaEnrollment:finalize", ["idToken": idToken, "totpVerificationInfo": proof],
            key: Self.apiKey)
        return (try #require(finalized.json["idToken"], "\(finalized.text)"), app)
    }

    fileprivate func addPasskey(_ device: inout TestPasskey, _ idToken: JSON) async throws {
        let started = try await gateway.post(
            "/v2/accounts/passkeyEnrollment:start", ["idToken": idToken], key: Self.apiKey)
        let response = try device.register(started)
        let added = try await gateway.finalizePasskeyEnrolment(
            try #require(idToken.string), response, key: Self.apiKey)
        #expect(added.status == 200, "\(added.text)")
    }

    /// Signs a person in to the operators' project with a passkey, as an app does.
    ///
    /// - Returns: the ID token.
    fileprivate func signInToAPI(_ device: inout TestPasskey) async throws -> JSON {
        let started = try await gateway.startPasskeySignIn(key: Self.apiKey)
        let signedIn = try await gateway.finalizePasskeySignIn(try device.sign(started), key: Self.apiKey)
        return try #require(signedIn.json["idToken"], "\(signedIn.text)")
    }

    /// Creates an account that has only a password.
    ///
    /// - Returns: the ID token of its session.
    fileprivate func plainAccount() async throws -> JSON {
        let body: JSON = ["email": "plain@example.com", "emailVerified": true, "password": .string(Self.password)]
        let created = try await gateway.send(.post, "/v1/projects/other/accounts", body, by: operatorsKey)
        #expect(created.outcome == "200", "\(created.text)")
        let signedIn = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            ["email": "plain@example.com", "password": .string(Self.password)], key: Self.apiKey)
        return try #require(signedIn.json["idToken"], "\(signedIn.text)")
    }
}
