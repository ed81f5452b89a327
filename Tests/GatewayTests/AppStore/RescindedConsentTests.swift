import Crypto
import Encoding
import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("The withdrawal of a parent's consent (RESCIND_CONSENT)")
struct RescindedConsentTests {
    private typealias Tokens = TestGateway.Tokens

    static let bundle = SimulatedProviders.appleClientID

    private struct Fixture {
        let gateway: TestGateway
        let store: SimulatedAppStore

        init(wantedEvents: [AccountEvent.Kind] = [], effect: RescissionEffect = .endSessions) async throws {
            let plain = try await TestGateway(wantedEvents: wantedEvents) { $0.rescindedConsent = effect }
            let clock = plain.clock
            let store = try SimulatedAppStore { clock.now.seconds }
            self.store = store
            gateway = try plain.with { $0.appStoreRoot = store.rootFingerprint }
        }

        /// An account that was used with the transaction `t1`.
        func child() async throws -> Tokens {
            let tokens = try await gateway.signUp()
            let stated = try await state(store.transaction("t1", of: RescindedConsentTests.bundle), tokens)
            #expect(stated.status == 204, "\(stated.text)")
            return tokens
        }

        func state(_ transaction: String, _ tokens: Tokens) async throws -> Exchange {
            try await gateway.post(
                "/v1/accounts:setAppTransaction",
                ["idToken": .string(tokens.idToken), "signedAppTransaction": .string(transaction)])
        }

        func notify(_ payload: String) async throws -> Exchange {
            try await gateway.post(
                "/v1/apple/appStoreNotifications", ["signedPayload": .string(payload)], key: nil)
        }

        func events() async throws -> [String] {
            try await gateway.database.pool.query(
                "SELECT concat_ws(' ', account_id, kind, data) AS line FROM outbox ORDER BY kind"
            ).map { try $0.decode("line", as: String.self) }
        }
    }

    @Test("The sessions of the account end before the response, and the backend gets an event")
    func effect() async throws {
        let fixture = try await Fixture(wantedEvents: [.ageConsentRescinded])
        let child = try await fixture.child()
        let other = try await fixture.gateway.signUp(email: "other@example.com")
        let payload = try fixture.store.notification(
            about: fixture.store.transaction("t1", of: Self.bundle), of: Self.bundle)
        let answer = try await fixture.notify(payload)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await !fixture.gateway.isSessionValid(child))
        #expect(try await fixture.gateway.isSessionValid(other))
        let event = #"ageConsent.rescinded {"bundleId": "\#(Self.bundle)", "appTransactionId": "t1"}"#
        #expect(try await fixture.events() == ["\(child.localId) \(event)"])
        let later = try Tokens(await fixture.gateway.signIn())
        #expect(try await fixture.notify(payload).status == 200)
        #expect(try await fixture.gateway.isSessionValid(later), "a notification takes effect once")
        #expect(try await fixture.events().count == 1)
    }

    @Test("Without an account that was used with the transaction, the event has no account")
    func unknownTransaction() async throws {
        let fixture = try await Fixture(wantedEvents: [.ageConsentRescinded])
        let child = try await fixture.child()
        let payload = try fixture.store.notification(
            about: fixture.store.transaction("t2", of: Self.bundle), of: Self.bundle)
        #expect(try await fixture.notify(payload).status == 200)
        #expect(try await fixture.gateway.isSessionValid(child))
        #expect(try await fixture.events().map { $0.hasPrefix(" ageConsent.rescinded") } == [true])
    }

    @Test("A transaction that an app states after the withdrawal of consent has the effect at once")
    func lateStatement() async throws {
        let fixture = try await Fixture(wantedEvents: [.ageConsentRescinded])
        let transaction = try fixture.store.transaction("t1", of: Self.bundle)
        #expect(try await fixture.notify(fixture.store.notification(about: transaction, of: Self.bundle)).status == 200)
        fixture.gateway.clock.advance(by: .seconds(500 * 86_400))
        let child = try await fixture.gateway.signUp()
        let stated = try await fixture.state(transaction, child)
        #expect(stated.outcome == "400 TOKEN_EXPIRED")
        #expect(try await !fixture.gateway.isSessionValid(child))
        #expect(try await fixture.events().filter { $0.hasPrefix("\(child.localId) ageConsent.rescinded") }.count == 1)
    }

    @Test("The withdrawal concerns neither another transaction nor the same one of another app")
    func otherTransactions() async throws {
        let fixture = try await Fixture()
        let withdrawn = try fixture.store.transaction("t1", of: Self.bundle)
        #expect(try await fixture.notify(fixture.store.notification(about: withdrawn, of: Self.bundle)).status == 200)
        let other = try await fixture.gateway.signUp()
        #expect(try await fixture.state(fixture.store.transaction("t2", of: Self.bundle), other).status == 204)
        #expect(try await fixture.gateway.isSessionValid(other))
    }

    @Test("A transaction that the App Store signs after the withdrawal is accepted: a parent has consented again")
    func renewedConsent() async throws {
        let fixture = try await Fixture()
        let earlier = try fixture.store.transaction("t1", of: Self.bundle)
        #expect(try await fixture.notify(fixture.store.notification(about: earlier, of: Self.bundle)).status == 200)
        fixture.gateway.clock.advance(by: .seconds(60))
        let child = try await fixture.gateway.signUp()
        #expect(try await fixture.state(fixture.store.transaction("t1", of: Self.bundle), child).status == 204)
        #expect(try await fixture.gateway.isSessionValid(child))
        #expect(try await fixture.state(earlier, child).outcome == "400 TOKEN_EXPIRED")
    }

    @Test("With the policy disableAccount, the account is also disabled", arguments: [true, false])
    func disabling(isStatedBefore: Bool) async throws {
        let fixture = try await Fixture(
            wantedEvents: [.ageConsentRescinded, .accountDisabled], effect: .disableAccount)
        let transaction = try fixture.store.transaction("t1", of: Self.bundle)
        let child = try await fixture.gateway.signUp()
        if isStatedBefore { #expect(try await fixture.state(transaction, child).status == 204) }
        #expect(try await fixture.notify(fixture.store.notification(about: transaction, of: Self.bundle)).status == 200)
        if !isStatedBefore { #expect(try await fixture.state(transaction, child).outcome == "400 TOKEN_EXPIRED") }
        #expect(try await !fixture.gateway.isSessionValid(child))
        #expect(try await fixture.gateway.signIn().outcome == "400 USER_DISABLED")
        #expect(try await fixture.events().contains { $0.hasPrefix("\(child.localId) account.disabled") })
    }

    @Test("A withdrawal that arrives while an app states the transaction has the effect", .timeLimit(.minutes(1)))
    func race() async throws {
        let fixture = try await Fixture()
        let transaction = try fixture.store.transaction("t1", of: Self.bundle)
        for round in 0..<10 {
            let child = try await fixture.gateway.signUp(email: "child\(round)@example.com")
            let payload = try fixture.store.notification(about: transaction, of: Self.bundle, id: "n\(round)")
            async let stated = fixture.state(transaction, child)
            async let notified = fixture.notify(payload)
            #expect(try await notified.status == 200)
            _ = try await stated
            #expect(try await !fixture.gateway.isSessionValid(child), "round \(round)")
            _ = try await fixture.gateway.database.pool.execute("DELETE FROM consent_rescission")
        }
    }

    @Test("Other types of notifications are accepted without effect", arguments: ["TEST", "SUBSCRIBED"])
    func otherTypes(type: String) async throws {
        let fixture = try await Fixture(wantedEvents: [.ageConsentRescinded])
        let child = try await fixture.child()
        let payload = try fixture.store.notification(
            type, about: fixture.store.transaction("t1", of: Self.bundle), of: Self.bundle)
        #expect(try await fixture.notify(payload).status == 200)
        #expect(try await fixture.gateway.isSessionValid(child))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let payload: @Sendable (SimulatedAppStore, Int64) throws -> String

        init(
            _ testDescription: String, payload: @escaping @Sendable (SimulatedAppStore, Int64) throws -> String
        ) {
            self.testDescription = testDescription
            self.payload = payload
        }
    }

    /// The claims of a notification about the transaction `t1`.
    private static func claims(
        _ store: SimulatedAppStore, _ now: Int64, transaction: String? = nil
    ) throws -> JSONObject {
        [
            "notificationType": .string("RESCIND_CONSENT"), "notificationUUID": .string("u"),
            "signedDate": .integer(now * 1000),
            "appData": .object([
                "bundleId": .string(bundle), "environment": .string("Production"),
                "signedAppTransactionInfo": .string(try transaction ?? store.transaction("t1", of: bundle)),
            ]),
        ]
    }

    static let refused = [
        Row("two certificates") { store, now in
            try store.signed(
                claims(store, now), certificates: [store.leaf.certificate, store.root.certificate])
        },
        Row("four certificates") { store, now in
            try store.signed(
                claims(store, now),
                certificates: [
                    store.leaf.certificate, store.intermediate.certificate, store.root.certificate,
                    store.root.certificate,
                ])
        },
        Row("a leaf without Apple's extension") { store, now in
            var store = store
            let claims = try claims(store, now)
            store.leaf = try Certificate.Authority(
                "leaf", under: store.intermediate, marker: nil, isAuthority: false, notBefore: now - 1,
                notAfter: now + 60)
            return try store.signed(claims)
        },
        Row("an intermediate without Apple's extension") { store, now in
            let claims = try claims(store, now)
            var store = store
            store.intermediate = try Certificate.Authority(
                "i", under: store.root, marker: nil, notBefore: now - 1, notAfter: now + 60)
            store.leaf = try Certificate.Authority(
                "leaf", under: store.intermediate, marker: SimulatedAppStore.leafMarker, isAuthority: false,
                notBefore: now - 1, notAfter: now + 60)
            return try store.signed(claims)
        },
        Row("another root") { _, now in
            let other = try SimulatedAppStore { now }
            return try other.signed(claims(other, now))
        },
        Row("the path of another root that ends with the trusted one") { store, now in
            let other = try SimulatedAppStore { now }
            return try other.signed(
                claims(store, now),
                certificates: [
                    other.leaf.certificate, other.intermediate.certificate, store.root.certificate,
                ])
        },
        Row("an intermediate that is not an authority") { store, now in
            let claims = try claims(store, now)
            var store = store
            store.intermediate = try Certificate.Authority(
                "i", under: store.root, marker: SimulatedAppStore.intermediateMarker, isAuthority: false,
                notBefore: now - 1, notAfter: now + 60)
            store.leaf = try Certificate.Authority(
                "leaf", under: store.intermediate, marker: SimulatedAppStore.leafMarker, isAuthority: false,
                notBefore: now - 1, notAfter: now + 60)
            return try store.signed(claims)
        },
        Row("a leaf that the root has signed itself") { store, now in
            let claims = try claims(store, now)
            var store = store
            store.leaf = try Certificate.Authority(
                "leaf", under: store.root, marker: SimulatedAppStore.leafMarker, isAuthority: false,
                notBefore: now - 1, notAfter: now + 60)
            return try store.signed(claims)
        },
        Row("certificates that had expired at the time of the signature") { store, now in
            let claims = try claims(store, now)
            var store = store
            store.leaf = try Certificate.Authority(
                "leaf", under: store.intermediate, marker: SimulatedAppStore.leafMarker, isAuthority: false,
                notBefore: now - 120, notAfter: now - 60)
            return try store.signed(claims)
        },
        Row("the signature of another key") { store, now in
            try store.signed(claims(store, now), key: PrivateKey.generate(.es256))
        },
        Row("the algorithm RS256") { store, now in
            try store.signed(claims(store, now), algorithm: "RS256", key: PrivateKey.generate(.rs256))
        },
        Row("no certificates") { store, now in try store.signed(claims(store, now), certificates: []) },
        Row("a signature from the future") { store, now in
            var claims = try claims(store, now)
            claims["signedDate"] = .integer((now + 61) * 1000)
            return try store.signed(claims)
        },
        Row("a signature that is too old") { store, now in
            var claims = try claims(store, now)
            claims["signedDate"] = .integer((now - 31 * 86_400) * 1000)
            return try store.signed(claims)
        },
        Row("another app in the transaction") { store, now in
            try store.signed(
                claims(store, now, transaction: store.transaction("t1", of: "com.attacker.app")))
        },
        Row("an app of another gateway") { store, _ in
            try store.notification(
                about: store.transaction("t1", of: "com.attacker.app"), of: "com.attacker.app")
        },
        Row("a transaction that another authority has signed") { store, now in
            try store.signed(
                claims(store, now, transaction: SimulatedAppStore { now }.transaction("t1", of: bundle)))
        },
        Row("the environment of Xcode") { store, _ in
            try store.notification(
                about: store.transaction("t1", of: bundle, environment: "Xcode"), of: bundle, environment: "Xcode")
        },
        Row("local tests") { store, _ in
            try store.notification(
                about: store.transaction("t1", of: bundle, environment: "LocalTesting"), of: bundle,
                environment: "LocalTesting")
        },
        Row("another environment in the transaction") { store, _ in
            try store.notification(
                about: store.transaction("t1", of: bundle, environment: "Sandbox"), of: bundle)
        },
        Row("data instead of appData") { store, now in
            var claims = try claims(store, now)
            claims["data"] = claims["appData"]
            claims["appData"] = nil
            return try store.signed(claims)
        },
        Row("no ID") { store, now in
            var claims = try claims(store, now)
            claims["notificationUUID"] = nil
            return try store.signed(claims)
        },
        Row("a transaction instead of a notification") { store, _ in try store.transaction("t1", of: bundle) },
        Row("no token") { _, _ in "a.b.c" },
    ]

    @Test("A notification that is not valid is rejected and changes nothing", arguments: refused)
    func rejected(row: Row) async throws {
        let fixture = try await Fixture(wantedEvents: [.ageConsentRescinded])
        let child = try await fixture.child()
        let payload = try row.payload(fixture.store, fixture.gateway.clock.now.seconds)
        let answer = try await fixture.notify(payload)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try await fixture.gateway.isSessionValid(child))
        #expect(try await fixture.events().isEmpty)
    }

    @Test("Apple's own root is trusted unless a test replaces it")
    func appleRoot() async throws {
        let gateway = try await TestGateway()
        #expect(
            gateway.root.appStoreRoot == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        let now = gateway.clock.now.seconds
        let store = try SimulatedAppStore { now }
        let payload = try store.notification(about: store.transaction("t1", of: Self.bundle), of: Self.bundle)
        let answer = try await gateway.post(
            "/v1/apple/appStoreNotifications", ["signedPayload": .string(payload)], key: nil)
        #expect(answer.status == 400)
    }

    @Test("An app states a transaction only for itself, and an account has at most ten")
    func statements() async throws {
        let fixture = try await Fixture()
        let ada = try await fixture.gateway.signUp()
        let foreign = try await fixture.state(fixture.store.transaction("t1", of: "com.attacker.app"), ada)
        #expect(foreign.wireCode == "INVALID_IDP_RESPONSE")
        let forged = try await fixture.state("a.b.c", ada)
        #expect(forged.wireCode == "INVALID_IDP_RESPONSE")
        for number in 1...12 {
            fixture.gateway.clock.advance(by: .seconds(1))
            let stated = try await fixture.state(fixture.store.transaction("t\(number)", of: Self.bundle), ada)
            #expect(stated.status == 204)
        }
        let rows = try await fixture.gateway.database.pool.query(
            "SELECT transaction_id AS id FROM app_transaction ORDER BY stated_at")
        #expect(try rows.map { try $0.decode("id", as: String.self) } == (3...12).map { "t\($0)" })
    }

    @Test("The event is sent daily until the endpoint accepts it, and is kept until then")
    func untilAcknowledged() async throws {
        let events = try await EventFixture()
        events.server.answer(500)
        _ = try await events.gateway.database.pool.execute(
            """
            INSERT INTO outbox (id, realm_id, kind, account_id, actor, data, created_at)
            VALUES (gen_random_uuid(), 'demo', 'ageConsent.rescinded', '', 'system', '{}',
                \(Timestamp(microsecondsSinceEpoch: events.gateway.clock.now.microseconds)))
            """)
        for _ in 0..<45 {
            try await events.dispatch()
            _ = try await events.configurator.send(.post, "eventEndpoints/backend:enable")
            events.gateway.clock.advance(by: .seconds(30 * 3600))
        }
        let janitor = Janitor(pool: events.gateway.database.pool)
        _ = try await janitor.remove(.accountEvent, at: events.gateway.clock.now)
        let sent = events.server.requests.count
        #expect(sent > 40)
        events.server.answer(204)
        try await events.dispatch()
        #expect(events.server.requests.count == sent + 1)
        #expect(events.server.requests.last?.json["data"]?["localId"] == nil)
        _ = try await janitor.remove(.accountEvent, at: events.gateway.clock.now)
        let left = try await events.gateway.database.pool.query("SELECT FROM account_event")
        #expect(left.isEmpty)
    }
}
