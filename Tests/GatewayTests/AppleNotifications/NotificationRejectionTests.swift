import Crypto
import HTTP
import Identity
import JOSE
import JSON
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Rejected notifications")
struct NotificationRejectionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcome: String
        let payload: @Sendable (TestGateway) throws -> String
    }

    private static let signature = "400 INVALID_IDP_RESPONSE : The payload is not signed by Apple."
    private static let malformed = "400 INVALID_IDP_RESPONSE : The payload is not a notification from Apple."
    private static let audience = "400 INVALID_IDP_RESPONSE : The audience of the payload is not an accepted client ID."
    private static let issuer = "400 INVALID_IDP_RESPONSE : The issuer of the payload is not Apple."
    private static let time = "400 INVALID_IDP_RESPONSE : The payload has expired, or its time is in the future."
    private static let foreignKey = Result { try PrivateKey.generate(.rs256) }

    static let rows = [
        Row(testDescription: "an altered signature", outcome: signature) {
            try $0.notification { $0.signature = .altered }
        },
        Row(testDescription: "unsigned", outcome: malformed) { try $0.notification { $0.signature = .missing } },
        Row(testDescription: "signed by another key", outcome: signature) {
            try $0.notification { $0.signature = .by(try foreignKey.get()) }
        },
        Row(testDescription: "an unknown key ID", outcome: signature) {
            try $0.notification {
                $0.keyID = "unknown"
                $0.signature = .by(try foreignKey.get())
            }
        },
        Row(testDescription: "without a key ID", outcome: signature) { try $0.notification { $0.keyID = nil } },
        Row(testDescription: "another algorithm", outcome: signature) {
            try $0.notification { $0.algorithm = "HS256" }
        },
        Row(testDescription: "algorithm none", outcome: malformed) {
            try $0.notification {
                $0.algorithm = "none"
                $0.signature = .missing
            }
        },
        Row(testDescription: "another audience", outcome: audience) {
            try $0.notification(audience: "com.attacker.app")
        },
        Row(testDescription: "two audiences", outcome: malformed) {
            try $0.notification {
                $0.claims["aud"] = .array([.string("com.example.app"), .string("com.attacker.app")])
            }
        },
        Row(testDescription: "another issuer", outcome: issuer) {
            try $0.notification { $0.claims["iss"] = .string("https://attacker.example") }
        },
        Row(testDescription: "expired", outcome: time) {
            let now = $0.clock.now.seconds
            return try $0.notification { $0.claims["exp"] = .integer(now - 60) }
        },
        Row(testDescription: "issued in the future", outcome: time) {
            let now = $0.clock.now.seconds
            return try $0.notification { $0.claims["iat"] = .integer(now + 61) }
        },
        Row(testDescription: "without an ID", outcome: malformed) { try $0.notification { $0.claims["jti"] = nil } },
        Row(testDescription: "an event that is not JSON", outcome: malformed) {
            try $0.notification { $0.claims["events"] = .string("none") }
        },
        Row(testDescription: "an identity token", outcome: malformed) { try $0.apple().idToken },
        Row(testDescription: "not a token", outcome: malformed) { _ in "a.b.c" },
    ]

    @Test("An invalid notification is rejected with a specific reason, and stores nothing", arguments: rows)
    func rejected(row: Row) async throws {
        let gateway = try await TestGateway(transport: .socket)
        let tokens = try TestGateway.Tokens(await gateway.signIn(gateway.apple()))
        gateway.clock.advance(by: .seconds(60))
        let payload = try row.payload(gateway)
        let before = try await gateway.dump()
        let answer = try await gateway.deliver(payload)
        #expect(answer.outcome == row.outcome)
        #expect(try await gateway.isSessionValid(tokens))
        let after = try await gateway.dump()
        #expect(after.count(of: "<row>") == before.count(of: "<row>"), "no table has a new row")
        #expect(!after.contains("com.attacker.app"))
    }

    @Test("A missing or invalid payload, a payload over 16 KiB, and a body over 64 KiB are rejected")
    func bodies() async throws {
        let gateway = try await TestGateway(transport: .socket)
        for body: JSON in [[:], ["payload": ""], ["payload": ["a": 1]], []] {
            let answer = try await gateway.post("/v1/apple/notifications", body, key: nil)
            #expect(answer.status == 400)
            #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT", "\(answer.text)")
        }
        let long = try await gateway.deliver(String(repeating: "a", count: 60_000))
        #expect(long.json["error"]?["status"] == "INVALID_ARGUMENT", "\(long.text)")
        #expect(try await gateway.deliver(String(repeating: "a", count: 64 * 1024)).status == 413)
    }

    @Test("Fifty forged key IDs cause only one refetch of Apple's keys")
    func keyFetches() async throws {
        let gateway = try await TestGateway()
        for number in 0..<50 {
            let payload = try gateway.notification { $0.keyID = "forged-\(number)" }
            #expect(try await gateway.deliver(payload).status == 400)
        }
        // The first fetch, and one refetch for an unknown key ID.
        #expect(gateway.simulators.apple.keyFetches == 2)
        try await gateway.receive(gateway.notification())
    }

    @Test("A notification gets 503 while Apple's keys are unavailable, and is accepted later")
    func keysUnavailable() async throws {
        let gateway = try await TestGateway(transport: .socket)
        gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        let payload = try gateway.notification()
        let answer = try await gateway.deliver(payload)
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] != nil)
        gateway.simulators.apple.faultInjection.reset()
        gateway.clock.advance(by: .seconds(60))
        try await gateway.receive(payload)
    }

    @Test("After a hundred invalid notifications a network is blocked; accepted notifications are not counted")
    func rateLimit() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let genuine = try gateway.notification()
        let forged = try gateway.notification { $0.signature = .altered }
        for _ in 0..<150 { #expect(try await gateway.deliver(genuine, from: "203.0.113.1").status == 200) }
        var outcomes: [String] = []
        for _ in 0..<103 { outcomes.append(try await gateway.deliver(forged).outcome) }
        #expect(outcomes.prefix(100).allSatisfy { $0 == Self.signature })
        #expect(outcomes.dropFirst(100).allSatisfy { $0 == LimitedGateway.tooMany })
        #expect(try await gateway.deliver(genuine).outcome == LimitedGateway.tooMany)
        #expect(try await gateway.deliver(genuine, from: "203.0.113.1").status == 200)
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.deliver(genuine).status == 200)
    }

    @Test("Rejections are counted by reason, and the response names no client ID")
    func metrics() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.deliver(gateway.notification())
        _ = try await gateway.deliver(gateway.notification { $0.signature = .altered })
        let answer = try await gateway.deliver(gateway.notification(audience: "com.attacker.app"))
        #expect(!answer.text.contains("com."))
        let metrics = try await gateway.get("/metrics").text
        for line in [
            #"sekisho_apple_notifications_total{outcome="applied"} 1"#,
            #"sekisho_apple_notifications_refused_total{reason="signature"} 1"#,
            #"sekisho_apple_notifications_refused_total{reason="audience"} 1"#,
        ] { #expect(metrics.contains(line), "\(line)") }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
