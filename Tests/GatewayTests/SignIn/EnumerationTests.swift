import Encoding
import Identity
import JSON
import Simulators
import Testing

@testable import Support

@Suite("Email enumeration")
struct EnumerationTests {
    private let tooManyAttempts = LimitedGateway.tooManyAttempts
    private static let weakPassword = "400 WEAK_PASSWORD : Password should be at least 6 characters"

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let emailEnumerationProtection: Bool
        /// Whether an anonymous account gets the address and the password.
        let isUpgrade: Bool
        let password: JSON
        /// The outcome for an address that another account has.
        let taken: String
        /// The outcome for an address that no account has.
        let free: String
    }

    @Test(
        "A taken address is revealed by any password; with enumeration protection, only by an acceptable one",
        arguments: [
            Row(
                testDescription: "sign-up with protection, weak password", emailEnumerationProtection: true,
                isUpgrade: false,
                password: "x",
                taken: weakPassword, free: weakPassword),
            Row(
                testDescription: "upgrade with protection, weak password", emailEnumerationProtection: true,
                isUpgrade: true,
                password: "x",
                taken: weakPassword, free: weakPassword),
            Row(
                testDescription: "sign-up with protection", emailEnumerationProtection: true, isUpgrade: false,
                password: "secret1",
                taken: "400 EMAIL_EXISTS", free: "200"),
            Row(
                testDescription: "upgrade with protection", emailEnumerationProtection: true, isUpgrade: true,
                password: "secret1",
                taken: "400 EMAIL_EXISTS", free: "200"),
            Row(
                testDescription: "sign-up, weak password", emailEnumerationProtection: false, isUpgrade: false,
                password: "x",
                taken: "400 EMAIL_EXISTS", free: weakPassword),
            Row(
                testDescription: "upgrade, weak password", emailEnumerationProtection: false, isUpgrade: true,
                password: "x",
                taken: "400 EMAIL_EXISTS", free: weakPassword),
        ])
    func taken(row: Row) async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = row.emailEnumerationProtection }
        _ = try await gateway.signUp(email: "taken@example.com")
        for (email, expected) in [("taken@example.com", row.taken), ("free@example.com", row.free)] {
            var body: [String: JSON] = ["email": .string(email), "password": row.password]
            if row.isUpgrade {
                body["idToken"] = .string(try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp")).idToken)
            }
            #expect(try await gateway.post("/v1/accounts:signUp", .object(body)).outcome == expected, "\(email)")
        }
    }

    @Test("With enumeration protection, a breached password does not reveal a taken address")
    func breached() async throws {
        let gateway = try await TestGateway(breaches: BreachedPasswords { $0.expose() == "breached" }) {
            $0.emailEnumerationProtection = true
            $0.rejectsBreachedPasswords = true
        }
        _ = try await gateway.signUp(email: "taken@example.com")
        for email in ["taken@example.com", "free@example.com"] {
            let answer = try await gateway.post(
                "/v1/accounts:signUp", ["email": .string(email), "password": "breached"])
            #expect(answer.outcome.hasPrefix("400 PASSWORD_DOES_NOT_MEET_REQUIREMENTS"), "\(answer.outcome)")
        }
    }

    @Test("Attempts to upgrade an anonymous account to a taken address count as sign-ups")
    func upgrades() async throws {
        let limited = try await LimitedGateway()
        let anonymous = try TestGateway.Tokens(await limited.gateway.post("/v1/accounts:signUp"))
        // From another network, so that this sign-up does not count.
        _ = try await limited.signUp("taken", from: "203.0.113.1")
        func upgrade(_ name: String, _ password: String = "secret1") async throws -> String {
            try await limited.gateway.post(
                "/v1/accounts:signUp",
                [
                    "idToken": .string(anonymous.idToken), "email": .string("\(name)@example.com"),
                    "password": .string(password),
                ]
            ).outcome
        }
        for _ in 1...5 {
            #expect(try await upgrade("taken", "x") == Self.weakPassword, "reveals nothing, so it is not counted")
        }
        // The limit is three: the anonymous sign-up and two upgrades.
        for _ in 1...2 { #expect(try await upgrade("taken") == "400 EMAIL_EXISTS") }
        #expect(try await upgrade("taken") == tooManyAttempts)
        #expect(try await upgrade("free") == tooManyAttempts)
    }

    @Test("Concurrent upgrades to a taken address are limited like sequential ones")
    func burst() async throws {
        let limited = try await LimitedGateway()
        let anonymous = try TestGateway.Tokens(await limited.gateway.post("/v1/accounts:signUp"))
        // From another network, so that this sign-up does not count.
        _ = try await limited.signUp("taken", from: "203.0.113.1")
        let outcomes = try await concurrently(20) { _ in
            try await limited.gateway.post(
                "/v1/accounts:signUp",
                ["idToken": .string(anonymous.idToken), "email": "taken@example.com", "password": "secret1"]
            ).outcome
        }
        #expect(outcomes.count { $0 == "400 EMAIL_EXISTS" } == 2, "the limit of three, less the anonymous sign-up")
    }

    @Test("Unverified addresses of a provider reveal a taken address only as often as sign-ups do")
    func unverifiedAddresses() async throws {
        let limited = try await LimitedGateway()
        // From another network, so that this sign-up does not count.
        _ = try await limited.signUp("taken", from: "203.0.113.1")
        func probe(_ name: String, as person: String, isVerified: Bool = false) async throws -> Exchange {
            try await limited.gateway.signIn(
                limited.gateway.googleCredential(.named(person, "Eve")) {
                    $0.claims["email"] = .string("\(name)@example.com")
                    $0.claims["email_verified"] = .bool(isVerified)
                })
        }
        for number in 1...4 {
            let name = "free\(number)"
            #expect(try await probe(name, as: name).outcome == "200", "free addresses do not count")
        }
        // The limit is three.
        for number in 1...3 {
            #expect(try await probe("taken", as: "eve\(number)").json["needConfirmation"] == true)
        }
        #expect(try await probe("taken", as: "eve4").outcome == tooManyAttempts)
        #expect(try await probe("free", as: "eve5").outcome == tooManyAttempts, "the same as for a taken address")
        #expect(try await probe("free1", as: "free1").outcome == "200", "a returning user")
        #expect(try await probe("other", as: "eve6", isVerified: true).outcome == "200", "a verified address")
    }

    @Test("With enumeration protection, a change of address does not reveal a taken address")
    func update() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        _ = try await gateway.signUp(email: "taken@example.com")
        let anonymous = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        var outcomes: [String] = []
        for email in ["taken@example.com", "free@example.com"] {
            for password in ["x", "secret1"] {
                outcomes.append(
                    try await gateway.update(
                        anonymous.idToken, ["email": .string(email), "password": .string(password)]
                    )
                    .outcome)
            }
        }
        #expect(outcomes[..<2] == outcomes[2...])
    }
}
