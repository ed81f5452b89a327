import Crypto
import Encoding
import HTTP
import Identity
import JOSE
import JSON
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Rejected server-to-server notifications of Apple")
struct NotificationRejectionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The expected outcome of the notification.
        let outcome: String
        let payload: @Sendable (TestGateway) throws -> String
    }

    private static let notSigned = "400 INVALID_IDP_RESPONSE : The payload is not signed by Apple."
    private static let notANotification = "400 INVALID_IDP_RESPONSE : The payload is not a notification from Apple."
    private static let wrongAudience =
        "400 INVALID_IDP_RESPONSE : The audience of the payload is not an accepted client ID."
    private static let wrongIssuer = "400 INVALID_IDP_RESPONSE : The issuer of the payload is not Apple."
    private static let wrongTime = "400 INVALID_IDP_RESPONSE : The payload has expired, or its time is in the future."
    private static let foreignKey = Result { try PrivateKey.generate(.rs256) }

    static let rows = [
        Row(testDescription: "an altered signature", outcome: notSigned) {
            try $0.appleNotification { $0.signature = .altered }
        },
        Row(testDescription: "no signature", outcome: notANotification) {
            try $0.appleNotification { $0.signature = .missing }
        },
        Row(testDescription: "a signature by another key", outcome: notSigned) {
            try $0.appleNotification { $0.signature = .by(try foreignKey.get()) }
        },
        Row(testDescription: "an unknown key ID", outcome: notSigned) {
            try $0.appleNotification {
                $0.keyID = "unknown"
                $0.signature = .by(try foreignKey.get())
            }
        },
        Row(testDescription: "no key ID", outcome: notSigned) { try $0.appleNotification { $0.keyID = nil } },
        Row(testDescription: "another algorithm", outcome: notSigned) {
            try $0.appleNotification { $0.algorithm = "HS256" }
        },
        Row(testDescription: "the algorithm none", outcome: notANotification) {
            try $0.appleNotification {
                $0.algorithm = "none"
                $0.signature = .missing
            }
        },
        Row(testDescription: "the audience of another app", outcome: wrongAudience) {
            try $0.appleNotification(audience: "com.attacker.app")
        },
        Row(testDescription: "two audiences", outcome: notANotification) {
            try $0.appleNotification {
                $0.claims["aud"] = .array([.string("com.example.app"), .string("com.attacker.app")])
            }
        },
        Row(testDescription: "another issuer", outcome: wrongIssuer) {
            try $0.appleNotification { $0.claims["iss"] = .string("https://attacker.example") }
        },
        Row(testDescription: "a payload that has expired", outcome: wrongTime) {
            let now = $0.clock.now.seconds
            return try $0.appleNotification { $0.claims["exp"] = .integer(now - 60) }
        },
        Row(testDescription: "a payload from the future", outcome: wrongTime) {
            let now = $0.clock.now.seconds
            return try $0.appleNotification { $0.claims["iat"] = .integer(now + 61) }
        },
        Row(testDescription: "no ID of the notification", outcome: notANotification) {
            try $0.appleNotification { $0.claims["jti"] = nil }
        },
        Row(testDescription: "an event that is not JSON", outcome: notANotification) {
            try $0.appleNotification { $0.claims["events"] = .string("none") }
        },
        Row(testDescription: "an identity token instead of a notification", outcome: notANotification) {
            try $0.appleCredential().idToken
        },
        Row(testDescription: "text that is not a token", outcome: notANotification) { _ in "a.b.c" },
    ]

    @Test(
        "An invalid notification is rejected with a specific reason, and adds no row to the database", arguments: rows)
    func rejected(row: Row) async throws {
        let gateway = try await TestGateway(transport: .socket)
        let tokens = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        gateway.clock.advance(by: .seconds(60))
        let payload = try row.payload(gateway)
        let before = try await gateway.databaseDump()
        let answer = try await gateway.postNotification(payload)
        #expect(answer.outcome == row.outcome)
        #expect(try await gateway.isSessionValid(tokens))
        let after = try await gateway.databaseDump()
        #expect(after.count(of: "<row>") == before.count(of: "<row>"), "no table has a new row")
        #expect(!after.contains("com.attacker.app"), "the rejected client ID is not stored")
    }

    @Test("A missing or invalid payload, a payload over 16 KiB, and a body over 64 KiB are rejected")
    func bodies() async throws {
        let gateway = try await TestGateway(transport: .socket)
        for body: JSON in [[:], ["payload": ""], ["payload": ["a": 1]], []] {
            let answer = try await gateway.post("/v1/apple/notifications", body, key: nil)
            #expect(answer.status == 400)
            #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT", "\(answer.text)")
        }
        // Over 16 KiB, but under 64 KiB with the rest of the body.
        let long = try await gateway.postNotification(String(repeating: "a", count: 60_000))
        #expect(long.json["error"]?["status"] == "INVALID_ARGUMENT", "\(long.text)")
        #expect(try await gateway.postNotification(String(repeating: "a", count: 64 * 1024)).status == 413)
    }

    @Test("Fifty forged key IDs cause only one refetch of Apple's keys")
    func keyFetches() async throws {
        let gateway = try await TestGateway()
        for number in 0..<50 {
            let payload = try gateway.appleNotification { $0.keyID = "forged-\(number)" }
            #expect(try await gateway.postNotification(payload).status == 400)
        }
        // The first fetch, and one refetch for an unknown key ID.
        #expect(gateway.simulators.apple.keyFetches == 2)
        try await gateway.postAcceptedNotification(gateway.appleNotification())
    }

    @Test("A notification gets 503 while Apple's keys are unavailable, and is accepted later")
    func keysUnavailable() async throws {
        let gateway = try await TestGateway(transport: .socket)
        gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        let payload = try gateway.appleNotification()
        let answer = try await gateway.postNotification(payload)
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] != nil)
        gateway.simulators.apple.faultInjection.reset()
        gateway.clock.advance(by: .seconds(60))
        try await gateway.postAcceptedNotification(payload)
    }

    @Test(
        "A client network is blocked after a hundred invalid notifications, but not after any number of accepted ones")
    func rateLimit() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let genuine = try gateway.appleNotification()
        let forged = try gateway.appleNotification { $0.signature = .altered }
        for _ in 0..<150 { #expect(try await gateway.postNotification(genuine, from: "203.0.113.1").status == 200) }
        var outcomes: [String] = []
        for _ in 0..<103 { outcomes.append(try await gateway.postNotification(forged).outcome) }
        #expect(outcomes.prefix(100).allSatisfy { $0 == Self.notSigned })
        #expect(outcomes.dropFirst(100).allSatisfy { $0 == LimitedGateway.tooManyAttempts })
        #expect(try await gateway.postNotification(genuine).outcome == LimitedGateway.tooManyAttempts)
        #expect(try await gateway.postNotification(genuine, from: "203.0.113.1").status == 200)
        // The block lasts ten minutes.
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.postNotification(genuine).status == 200)
    }

    @Test("A body that cannot be decoded counts as a rejected notification", arguments: ["{", #"{"payload":1}"#])
    func undecodableBodies(body: String) async throws {
        let gateway = try await TestGateway(limitsRates: true)
        var outcomes: [String] = []
        for _ in 0...Policy.rejectedNotificationLimit {
            let response = try await gateway.send(
                .post, "/v1/apple/notifications", body: Array(body.utf8), query: [])
            outcomes.append(response.outcome)
        }
        #expect(outcomes.dropLast().allSatisfy { $0.hasPrefix("400 ") }, "\(outcomes.first ?? "")")
        #expect(outcomes.last == LimitedGateway.tooManyAttempts)
    }

    @Test("Rejections are counted by reason, and the response names no client ID")
    func metrics() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.postNotification(gateway.appleNotification())
        _ = try await gateway.postNotification(gateway.appleNotification { $0.signature = .altered })
        let answer = try await gateway.postNotification(gateway.appleNotification(audience: "com.attacker.app"))
        #expect(!answer.text.contains("com."))
        let metrics = try await gateway.getWithoutAPIKey("/metrics").text
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
