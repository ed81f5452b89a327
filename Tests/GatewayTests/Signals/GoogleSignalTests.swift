import Crypto
import Encoding
import HTTP
import Identity
import JOSE
import JSON
import Postgres
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Google's security event tokens (Cross-Account Protection)")
struct GoogleSignalTests {
    private typealias Tokens = TestGateway.Tokens

    struct Row: Sendable, CustomTestStringConvertible {
        let kind: SimulatedGoogleEvent
        var reason: String?
        let endsSessions: Bool
        let suspends: Bool
        let events: [String]

        var testDescription: String { "\(kind)" + (reason.map { ", \($0)" } ?? "") }
    }

    static let rows = [
        Row(
            kind: .sessionsRevoked, endsSessions: true, suspends: false,
            events: [
                "session.revoked {\"all\": true}",
                #"signal.received {"type": "sessions-revoked", "effect": ["sessionsEnded"], "provider": "google.com"}"#,
            ]),
        Row(
            kind: .tokensRevoked, endsSessions: true, suspends: false,
            events: [
                "session.revoked {\"all\": true}",
                #"signal.received {"type": "tokens-revoked", "effect": ["sessionsEnded"], "provider": "google.com"}"#,
            ]),
        Row(
            kind: .accountDisabled, reason: "hijacking", endsSessions: true, suspends: true,
            events: [
                #"identity.suspended {"provider": "google.com"}"#, "session.revoked {\"all\": true}",
                #"signal.received {"type": "account-disabled", "effect": ["identitySuspended", "sessionsEnded"], "provider": "google.com"}"#,
            ]),
        Row(
            kind: .accountDisabled, endsSessions: false, suspends: true,
            events: [
                #"identity.suspended {"provider": "google.com"}"#,
                #"signal.received {"type": "account-disabled", "effect": ["identitySuspended"], "provider": "google.com"}"#,
            ]),
        Row(
            kind: .accountDisabled, reason: "bulk-account", endsSessions: false, suspends: false,
            events: [#"signal.received {"type": "account-disabled", "effect": [], "provider": "google.com"}"#]),
        Row(
            kind: .credentialChangeRequired, endsSessions: false, suspends: false,
            events: [
                #"signal.received {"type": "account-credential-change-required", "effect": [], "provider": "google.com"}"#
            ]),
        Row(kind: .tokenRevoked, endsSessions: false, suspends: false, events: []),
        Row(kind: .verification, endsSessions: false, suspends: false, events: []),
    ]

    @Test("Each type has its effect before the response, and its events", arguments: rows)
    func effects(row: Row) async throws {
        let gateway = try await TestGateway(wantedEvents: [.signalReceived, .identitySuspended, .sessionRevoked])
        let google = try Tokens(await gateway.signIn(gateway.googleCredential()))
        let other = try Tokens(await gateway.signIn(gateway.googleCredential(.ada)))
        let token = try gateway.googleSignal(row.kind, reason: row.reason)
        let answer = try await gateway.postSignal(token)
        #expect(answer.status == 202, "\(answer.text)")
        #expect(answer.body.isEmpty)
        #expect(try await gateway.isSessionValid(google) == !row.endsSessions)
        #expect(try await gateway.isSessionValid(other))
        gateway.clock.advance(by: .seconds(2))
        let again = try await gateway.signIn(gateway.googleCredential())
        #expect(again.outcome == (row.suspends ? "400 USER_DISABLED" : "200"))
        #expect(try await gateway.signalEvents() == row.events.map { "\(google.localId) \($0)" })
    }

    @Test("A suspended identity is refused until account-enabled, and other methods work")
    func suspension() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        #expect(try await gateway.postSignal(gateway.googleSignal(.accountDisabled)).status == 202)
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome == "400 USER_DISABLED")
        let reauthentication = try await gateway.link(gateway.googleCredential(), to: ada.idToken)
        #expect(reauthentication.outcome == "400 USER_DISABLED")
        #expect(try await gateway.signIn().status == 200, "the password works")
        #expect(try await gateway.isSessionValid(ada))
        #expect(try await gateway.postSignal(gateway.googleSignal(.accountEnabled)).status == 202)
        #expect(try await gateway.signIn(gateway.googleCredential()).status == 200)
    }

    @Test("A suspended identity does not prove the target of a merge")
    func merge() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.googleCredential())
        let apple = try Tokens(await gateway.signIn(gateway.appleCredential()))
        let taken = try await gateway.link(gateway.googleCredential(), to: apple.idToken)
        let proof = try #require(taken.pendingToken)
        #expect(try await gateway.postSignal(gateway.googleSignal(.accountDisabled)).status == 202)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(apple.idToken), "dryRun": true, "pendingToken": .string(proof)])
        #expect(preview.outcome == "400 USER_DISABLED")
        let again = try await gateway.link(gateway.googleCredential(), to: apple.idToken)
        #expect(again.outcome == "400 USER_DISABLED")
    }

    @Test("A sign-in that was decided before the suspension is decided again")
    func race() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.googleCredential())
        let signIn = try await gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute("UPDATE linked_identity SET suspended_at = now()")
            // The sign-in reads the account before the commit, and then waits for the lock on the identity.
            let signIn = Task { try await gateway.signIn(gateway.googleCredential()) }
            try await Task.sleep(for: .milliseconds(500))
            return signIn
        }
        #expect(try await signIn.value.outcome == "400 USER_DISABLED")
    }

    @Test(
        "An ID token from before the end of the sessions does not sign in again",
        arguments: [
            SimulatedGoogleEvent.sessionsRevoked, .tokensRevoked,
        ])
    func stolenToken(kind: SimulatedGoogleEvent) async throws {
        let gateway = try await TestGateway()
        let stolen = try gateway.googleCredential()
        #expect(try await gateway.signIn(stolen).status == 200)
        gateway.clock.advance(by: .seconds(2))
        #expect(try await gateway.postSignal(gateway.googleSignal(kind)).status == 202)
        #expect(try await gateway.signIn(stolen).status == 400)
        gateway.clock.advance(by: .seconds(2))
        #expect(try await gateway.signIn(gateway.googleCredential()).status == 200)
    }

    @Test("A code that was sent before the suspension is deleted, and the owner cannot unlink the identity")
    func codesBeforeSuspension() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified(email: "mary.somerville@gmail.com")
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "mary.somerville@gmail.com"])
        #expect(try await gateway.postSignal(gateway.googleSignal(.accountDisabled)).status == 202)
        #expect(try await gateway.resetPassword(code).status == 400)
        let unlinked = try await gateway.update(ada.idToken, ["deleteProvider": ["google.com"]])
        #expect(unlinked.wireCode == "USER_DISABLED")
    }

    @Test("A token takes effect once in 90 days")
    func replay() async throws {
        let gateway = try await TestGateway(wantedEvents: [.sessionRevoked])
        _ = try await gateway.signIn(gateway.googleCredential())
        let token = try gateway.googleSignal(.sessionsRevoked)
        #expect(try await gateway.postSignal(token).status == 202)
        gateway.clock.advance(by: .seconds(80 * 86_400))
        let late = try Tokens(await gateway.signIn(gateway.googleCredential()))
        _ = try await Janitor(pool: gateway.database.pool).remove(.replayKey, at: gateway.clock.now)
        #expect(try await gateway.postSignal(token).status == 202)
        #expect(try await gateway.isSessionValid(late))
        #expect(try await gateway.signalEvents().count == 1)
    }

    @Test("A token applies to every project that has one of its audiences")
    func audiences() async throws {
        let gateway = try await TestGateway()
        let tokens = try Tokens(await gateway.signIn(gateway.googleCredential()))
        let token = try gateway.googleSignal(.sessionsRevoked) {
            $0.claims["aud"] = .array([.string("unknown"), .string(SimulatedProviders.googleClientID)])
        }
        #expect(try await gateway.postSignal(token).status == 202)
        #expect(try await !gateway.isSessionValid(tokens))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: String
        let change: @Sendable (inout TokenDraft) throws -> Void
    }

    private static let foreignKey = Result { try PrivateKey.generate(.rs256) }

    static let refusals = [
        Refusal(testDescription: "an altered signature", error: "invalid_key") { $0.signature = .altered },
        Refusal(testDescription: "a signature by another key", error: "invalid_key") {
            $0.signature = .by(try foreignKey.get())
        },
        Refusal(testDescription: "an unknown key", error: "invalid_key") { $0.keyID = "unknown" },
        Refusal(testDescription: "no key ID", error: "invalid_key") { $0.keyID = nil },
        Refusal(testDescription: "another algorithm", error: "invalid_key") { $0.algorithm = "HS256" },
        Refusal(testDescription: "the algorithm none", error: "invalid_request") {
            $0.algorithm = "none"
            $0.signature = .missing
        },
        Refusal(testDescription: "the issuer of ID tokens", error: "invalid_issuer") {
            $0.claims["iss"] = .string("https://accounts.google.com")
        },
        Refusal(testDescription: "another issuer", error: "invalid_issuer") {
            $0.claims["iss"] = .string("https://attacker.example/")
        },
        Refusal(testDescription: "the client ID of another gateway", error: "invalid_audience") {
            $0.claims["aud"] = .string("other.apps.googleusercontent.com")
        },
        Refusal(testDescription: "no audience", error: "invalid_request") { $0.claims["aud"] = nil },
        Refusal(testDescription: "no ID", error: "invalid_request") { $0.claims["jti"] = nil },
        Refusal(testDescription: "no time", error: "invalid_request") { $0.claims["iat"] = nil },
        Refusal(testDescription: "a time in the future", error: "invalid_request") {
            guard case .integer(let now) = $0.claims["iat"] else { return }
            $0.claims["iat"] = .integer(now + 61)
        },
        Refusal(testDescription: "a time so long ago that the token may be a repeated one", error: "invalid_request") {
            guard case .integer(let now) = $0.claims["iat"] else { return }
            $0.claims["iat"] = .integer(now - 90 * 86_400)
        },
        Refusal(testDescription: "no events", error: "invalid_request") { $0.claims["events"] = nil },
        Refusal(testDescription: "events that are not an object", error: "invalid_request") {
            $0.claims["events"] = .string("{}")
        },
        Refusal(testDescription: "nine events", error: "invalid_request") { draft in
            draft.claims["events"] = .object(
                Dictionary(uniqueKeysWithValues: (1...9).map { (ByteText("type\($0)"), JSONValue.object([:])) }))
        },
        Refusal(testDescription: "the type of an access token", error: "invalid_request") { $0.type = "at+jwt" },
    ]

    @Test("A token that is not valid is rejected and changes nothing", arguments: refusals)
    func refused(row: Refusal) async throws {
        let gateway = try await TestGateway(wantedEvents: [.signalReceived])
        let tokens = try Tokens(await gateway.signIn(gateway.googleCredential()))
        let token = try gateway.googleSignal(.sessionsRevoked, changing: row.change)
        let answer = try await gateway.postSignal(token)
        #expect(answer.status == 400)
        #expect(answer.json["err"]?.string == row.error)
        #expect(try await gateway.isSessionValid(tokens))
        #expect(try await gateway.signalEvents().isEmpty)
    }

    @Test("A body that is not a token is rejected", arguments: ["", "{}", "a.b.c", "\u{0}"])
    func garbage(body: String) async throws {
        let gateway = try await TestGateway()
        let answer = try await gateway.postSignal(body)
        #expect(answer.status == 400)
        #expect(answer.json["err"]?.string == "invalid_request")
    }

    @Test("An ID token of Google is not a security event token, and the reverse")
    func confusion() async throws {
        let gateway = try await TestGateway()
        let idToken = try gateway.googleCredential().idToken
        #expect(try await gateway.postSignal(idToken).json["err"]?.string == "invalid_issuer")
        let set = try gateway.googleSignal(.sessionsRevoked) {
            $0.type = "JWT"
            $0.claims["iss"] = .string("https://accounts.google.com")
            $0.claims["exp"] = .integer(gateway.clock.now.seconds + 60)
            $0.claims["sub"] = .string("123")
        }
        let signIn = try await gateway.signIn(ProviderCredential(provider: "google.com", idToken: set))
        #expect(signIn.outcome.hasPrefix("400 INVALID_IDP_RESPONSE"), "\(signIn.outcome)")
    }

    /// From https://developers.google.com/identity/protocols/risc, with the issuer and the subject of the test.
    @Test(
        "Unknown types, subjects and members of a token are accepted without effect",
        arguments: [
            #"{"https://schemas.openid.net/secevent/risc/event-type/identifier-changed": {"subject": {"subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": "7375626A656374"}}}"#,
            #"{"https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": {"subject": {"subject_type": "phone", "phone": "+15550100"}}}"#,
            #"{"https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": {"subject": {"subject_type": "iss-sub", "iss": "https://attacker.example", "sub": "SUBJECT"}}}"#,
            #"{"https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": {}}"#,
            #"{"https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": null}"#,
        ])
    func unknown(events: String) async throws {
        let gateway = try await TestGateway(wantedEvents: [.signalReceived])
        let tokens = try Tokens(await gateway.signIn(gateway.googleCredential()))
        let text = events.replacing("SUBJECT", with: SimulatedGoogle.subject(of: .mary))
        let token = try gateway.googleSignal(.sessionsRevoked) {
            $0.claims["events"] = try StrictJSON.decode(JSONValue.self, from: Array(text.utf8))
        }
        #expect(try await gateway.postSignal(token).status == 202)
        #expect(try await gateway.isSessionValid(tokens))
        #expect(try await gateway.signalEvents().isEmpty)
    }

    /// The token in Google's documentation has two audiences, the issuer with a slash in both places, and no `exp`.
    @Test("A token with the members of Google's documentation ends the sessions")
    func documented() async throws {
        let gateway = try await TestGateway()
        let tokens = try Tokens(await gateway.signIn(gateway.googleCredential()))
        let token = try gateway.googleSignal(.sessionsRevoked) {
            $0.type = nil
            $0.claims = [
                "iss": .string("https://accounts.google.com/"),
                "aud": .array([.string(SimulatedProviders.googleClientID)]),
                "iat": .integer(gateway.clock.now.seconds), "jti": .string("756E69717565206964656E746966696572"),
                "events": .object([
                    "https://schemas.openid.net/secevent/risc/event-type/account-disabled": .object([
                        "subject": .object([
                            "subject_type": .string("iss-sub"), "iss": .string("https://accounts.google.com/"),
                            "sub": .string(SimulatedGoogle.subject(of: .mary)),
                        ]), "reason": .string("hijacking"),
                    ])
                ]),
            ]
        }
        #expect(try await gateway.postSignal(token).status == 202)
        #expect(try await !gateway.isSessionValid(tokens))
    }

    @Test("The address of a suspended identity gets neither password resets nor sign-in links")
    func emails() async throws {
        let gateway = try await TestGateway { $0.allowsEmailLinks = true }
        let ada = try await gateway.signUpVerified(email: "mary.somerville@gmail.com")
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        let queue = PostgresEmailQueue(pool: gateway.database.pool)
        func claimed() async throws -> [String: Bool] {
            let claimed = try await queue.claim(
                limit: 100, lease: .seconds(1), at: gateway.clock.now)
            return Dictionary(claimed.map { ($0.email.kind.rawValue, $0.mailboxIsSuspended) }) { $0 || $1 }
        }
        _ = try await claimed()
        #expect(try await gateway.postSignal(gateway.googleSignal(.accountDisabled)).status == 202)
        for kind in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
            let sent = try await gateway.post(
                "/v1/accounts:sendOobCode",
                [
                    "requestType": .string(kind), "email": "mary.somerville@gmail.com",
                    "continueUrl": "http://localhost/",
                ])
            #expect(sent.status == 200, "\(sent.text)")
        }
        #expect(try await claimed() == ["PASSWORD_RESET": true, "EMAIL_SIGNIN": true])
        #expect(try await gateway.postSignal(gateway.googleSignal(.accountEnabled)).status == 202)
        _ = try await gateway.post(
            "/v1/accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "mary.somerville@gmail.com"])
        #expect(try await claimed()["PASSWORD_RESET"] == false)
    }

    @Test("A large body is refused, and rejected tokens of one network are limited")
    func limits() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let large = try await gateway.postSignal(String(repeating: "a", count: 65 * 1024))
        #expect(large.status == 413 || large.status == 400, "\(large.status)")
        var statuses: Set<String> = []
        for _ in 0..<400 {
            let answer = try await gateway.postSignal("a.b.c")
            statuses.insert(answer.json["err"]?.string ?? "\(answer.status)")
            if statuses.count > 1 { break }
        }
        #expect(statuses == ["invalid_request", "429"], "with 400, Google would not send the token again")
    }

    @Test("If the database fails, the token is not lost: the response is 503, and its repetition has the effect")
    func outage() async throws {
        let gateway = try await TestGateway()
        let tokens = try Tokens(await gateway.signIn(gateway.googleCredential()))
        let token = try gateway.googleSignal(.sessionsRevoked)
        let pool = gateway.database.pool
        // As after a kill between receipt and effect: the transaction was rolled back.
        _ = try await pool.execute("ALTER TABLE replay_guard RENAME TO replay_guard_gone")
        let failed = try await gateway.postSignal(token)
        #expect(failed.status >= 500)
        #expect(try await gateway.isSessionValid(tokens))
        _ = try await pool.execute("ALTER TABLE replay_guard_gone RENAME TO replay_guard")
        #expect(try await gateway.postSignal(token).status == 202)
        #expect(try await !gateway.isSessionValid(tokens))
    }
}

extension TestGateway {
    func googleSignal(
        _ kind: SimulatedGoogleEvent, about person: SimulatedPerson = .mary, reason: String? = nil,
        changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> String {
        try simulators.google.securityEvent(
            kind, about: person, audience: SimulatedProviders.googleClientID, reason: reason, changing: change)
    }

    /// Posts a security event token as Google does, without an API key.
    func postSignal(_ token: String) async throws -> Exchange {
        try await send(
            .post, "/v1/google/securityEvents", body: Array(token.utf8), query: [],
            headers: ["Content-Type": "application/secevent+jwt"])
    }

    /// The events of the outbox: account, kind and data.
    fileprivate func signalEvents() async throws -> [String] {
        try await database.pool.query(
            "SELECT concat_ws(' ', account_id, kind, data) AS line FROM outbox ORDER BY kind, data::text"
        ).map { try $0.decode("line", as: String.self) }
    }
}
