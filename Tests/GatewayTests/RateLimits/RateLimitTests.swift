import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

/// The gateway of these tests (``LimitedGateway``) allows one client network three wrong passwords for an email
/// address, and three sign-ups.
@Suite("Rate limits")
struct RateLimitTests {
    private let tooMany = LimitedGateway.tooManyAttempts

    @Test("After too many wrong passwords the correct one is rejected too, with the time to wait")
    func window() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp()
        // The windows of ten minutes, and the test's clock, start at a multiple of ten minutes.
        limited.gateway.clock.advance(by: .microseconds(200_500_000))
        try await limited.failSignIns()
        let refused = try await limited.signIn("ada", "secret1")
        #expect(refused.outcome == tooMany)
        #expect(refused.headers["Retry-After"] == "400", "the 399.5 seconds until the end of the window, rounded up")
        limited.gateway.clock.advance(by: .seconds(399))
        #expect(try await limited.signIn("ada", "secret1").outcome == tooMany)
        limited.gateway.clock.advance(by: .milliseconds(500))
        #expect(try await limited.signIn("ada", "secret1").outcome == "200")
    }

    struct ClientPair: CustomTestStringConvertible {
        let testDescription: String
        /// The trusted proxies.
        var proxies: [String] = []
        // Each client has the IP address of its connection, and a value of `X-Forwarded-For`.
        let first: (peer: String, hops: String?)
        let second: (peer: String, hops: String?)
        let isCountedTogether: Bool
    }

    @Test(
        "Limits apply to an IPv4 address or an IPv6 /64, and X-Forwarded-For counts only from a trusted proxy",
        arguments: [
            ClientPair(
                testDescription: "the same address", first: ("192.0.2.7", nil), second: ("192.0.2.7", nil),
                isCountedTogether: true),
            ClientPair(
                testDescription: "another address of its /24", first: ("192.0.2.7", nil), second: ("192.0.2.8", nil),
                isCountedTogether: false),
            ClientPair(
                testDescription: "the same address as IPv4-mapped IPv6", first: ("192.0.2.7", nil),
                second: ("::ffff:192.0.2.7", nil), isCountedTogether: true),
            ClientPair(
                testDescription: "two addresses of one /64", first: ("2001:db8:1:2::1", nil),
                second: ("2001:db8:1:2:ffff:ffff:ffff:ffff", nil), isCountedTogether: true),
            ClientPair(
                testDescription: "two spellings of one address", first: ("2001:db8:0:0:0:0:0:1", nil),
                second: ("2001:DB8::1", nil),
                isCountedTogether: true),
            ClientPair(
                testDescription: "another /64", first: ("2001:db8:1:2::1", nil), second: ("2001:db8:1:3::1", nil),
                isCountedTogether: false),
            ClientPair(
                testDescription: "a forged header", first: ("192.0.2.7", "198.51.100.1"),
                second: ("192.0.2.7", "198.51.100.2"), isCountedTogether: true),
            ClientPair(
                testDescription: "a trusted proxy's header", proxies: ["10.0.0.0/8"],
                first: ("10.0.0.1", "198.51.100.1"), second: ("10.0.0.1", "198.51.100.2"), isCountedTogether: false),
            ClientPair(
                testDescription: "two proxies, one client", proxies: ["10.0.0.0/8"],
                first: ("10.0.0.1", "203.0.113.9, 198.51.100.1"), second: ("10.0.0.2", "198.51.100.1"),
                isCountedTogether: true),
        ])
    func clients(row: ClientPair) async throws {
        let limited = try await LimitedGateway(trustedProxies: row.proxies)
        for _ in 1...3 { _ = try await limited.tryWrongPassword(from: row.first.peer, via: row.first.hops) }
        #expect(try await limited.tryWrongPassword(from: row.first.peer, via: row.first.hops).outcome == tooMany)
        let other = try await limited.tryWrongPassword(from: row.second.peer, via: row.second.hops)
        #expect(other.outcome == (row.isCountedTogether ? tooMany : "400 INVALID_LOGIN_CREDENTIALS"))
    }

    @Test("An attack locks out neither the owner in another network nor other users in the attacker's network")
    func noLockOut() async throws {
        let limited = try await LimitedGateway()
        for name in ["ada", "eve"] { _ = try await limited.signUp(name) }
        try await limited.failSignIns(from: "203.0.113.66")
        #expect(try await limited.tryWrongPassword("ada", from: "203.0.113.66").outcome == tooMany)
        #expect(try await limited.signIn("ada", "secret1").outcome == "200", "from the owner's network")
        #expect(
            try await limited.signIn("eve", "secret1", from: "203.0.113.66").outcome == "200",
            "from the attacker's network")
    }

    @Test("A correct password does not reset the counts of wrong passwords")
    func interleaved() async throws {
        let limited = try await LimitedGateway()
        for name in ["ada", "eve"] { _ = try await limited.signUp(name) }
        for _ in 1...3 {
            try await limited.failSignIns(1)
            #expect(try await limited.signIn("eve", "secret1").outcome == "200")
        }
        #expect(try await limited.signIn("ada", "secret1").outcome == tooMany)
        for number in 0..<27 { try await limited.failSignIns(1, "stranger\(number)") }
        #expect(
            try await limited.signIn("eve", "secret1").outcome == tooMany,
            "thirty wrong passwords from one IP address: ten times the limit of one account")
        #expect(try await limited.signIn("eve", "secret1", from: "203.0.113.1").outcome == "200")
    }

    @Test("Addresses with and without an account are limited alike, after the same number of password checks")
    func knownAndUnknownAddresses() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp("known")
        var seen: [[String]] = []
        for name in ["known", "unknown"] {
            var outcomes: [String] = []
            for _ in 1...5 { outcomes.append(try await limited.tryWrongPassword(name).outcome) }
            seen.append(outcomes)
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0].suffix(2) == [tooMany, tooMany])
        #expect(limited.passwordChecks.hadStoredHash == [true, true, true, false, false, false])
    }

    @Test("A rejected request causes no hashing, and does not read the account")
    func noWork() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp("known")
        for name in ["known", "unknown"] { try await limited.failSignIns(3, name) }
        _ = try await limited.gateway.database.pool.execute("ALTER TABLE account RENAME TO hidden")
        for name in ["known", "unknown"] { #expect(try await limited.tryWrongPassword(name).outcome == tooMany) }
        #expect(try await limited.tryWrongPassword("eve").status == 500, "an accepted request reads the account")
        #expect(limited.passwordChecks.count == 6, "three for each address, before the limit was reached")
    }

    @Test("Of many concurrent sign-ins, only as many as the limit allows have their passwords checked")
    func burst() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp()
        let outcomes = try await concurrently(40) { _ in try await limited.tryWrongPassword().outcome }
        #expect(outcomes.filter { $0 == "400 INVALID_LOGIN_CREDENTIALS" }.count == 3)
        #expect(outcomes.filter { $0 == tooMany }.count == 37)
    }

    @Test(
        "Sign-ups from one network are counted together: anonymous, with an address, and rejected for a taken address")
    func signUps() async throws {
        let limited = try await LimitedGateway()
        #expect(try await limited.signUp("ada").outcome == "200")
        #expect(try await limited.signUp("ada").outcome == "400 EMAIL_EXISTS")
        let anonymous = try await limited.gateway.post("/v1/accounts:signUp")
        #expect(anonymous.outcome == "200")
        #expect(try await limited.signUp("eve").outcome == tooMany)
        #expect(try await limited.gateway.post("/v1/accounts:signUp").outcome == tooMany)
        #expect(try await limited.signUp("eve", from: "203.0.113.1").outcome == "200")
        limited.gateway.clock.advance(by: .seconds(3600))
        #expect(try await limited.signUp("eve2").outcome == "200")
    }

    @Test("Concurrent sign-ups are limited like sequential ones")
    func signUpBurst() async throws {
        let limited = try await LimitedGateway()
        let outcomes = try await concurrently(20) { try await limited.signUp("p\($0)").outcome }
        #expect(outcomes.filter { $0 == "200" }.count == 3)
    }

    @Test("Sign-ups that create no account and reveal nothing are not counted")
    func notCounted() async throws {
        let limited = try await LimitedGateway()
        for _ in 1...5 {
            let weak = try await limited.gateway.post(
                "/v1/accounts:signUp", ["email": "ada@example.com", "password": "short"])
            #expect(weak.outcome.hasPrefix("400 WEAK_PASSWORD"))
        }
        _ = try await limited.gateway.database.pool.execute("ALTER TABLE session RENAME TO hidden")
        for _ in 1...5 { #expect(try await limited.signUp().status == 500) }
        _ = try await limited.gateway.database.pool.execute("ALTER TABLE hidden RENAME TO session")
        #expect(try await limited.signUp().outcome == "200")
    }

    @Test(
        "Sign-up and password limits do not apply to upgrades of anonymous accounts, refreshes, other sign-in methods or administrators"
    )
    func exempt() async throws {
        let limited = try await LimitedGateway { $0.signUpLimit = 2 }
        let gateway = limited.gateway
        let anonymous = try await gateway.post("/v1/accounts:signUp")
        let upgraded = try await gateway.post(
            "/v1/accounts:signUp",
            ["idToken": anonymous.json["idToken"] ?? .null, "email": "ada@example.com", "password": "secret1"])
        #expect(upgraded.outcome == "200")
        #expect(try await limited.signUp("eve").outcome == "200", "the upgrade is not counted again")
        #expect(try await limited.signUp("bob").outcome == tooMany)
        try await limited.failSignIns()
        #expect(try await limited.signIn("ada", "secret1").outcome == tooMany)
        #expect(try await gateway.signIn(gateway.appleCredential()).outcome == "200")
        let refreshed = try await gateway.post(
            "/v1/token",
            ["grant_type": "refresh_token", "refresh_token": upgraded.json["refreshToken"] ?? .null])
        #expect(refreshed.outcome == "200")
        let backend = try await ServiceKey(in: gateway)
        let custom = try await gateway.post(
            "/v1/accounts:signInWithCustomToken", ["token": .string(try backend.customToken(at: gateway.clock.now))])
        #expect(custom.outcome == "200")
        for number in 1...3 {
            let created = try await gateway.send(
                .post, "/v1/projects/demo/accounts", ["email": .string("p\(number)@example.com")], by: backend)
            #expect(created.outcome == "200")
        }
    }

    @Test("A limit of 0 means no limit")
    func unlimited() async throws {
        let limited = try await LimitedGateway {
            $0.passwordFailureLimit = 0
            $0.signUpLimit = 0
        }
        try await limited.failSignIns(20)
        for number in 1...5 { #expect(try await limited.signUp("p\(number)").outcome == "200") }
        #expect(limited.gateway.limits?.windowCount == 0)
    }

    @Test("Requests for emails over the limit are rejected, whether or not an account has the address")
    func emailsOnTheWire() async throws {
        let limited = try await LimitedGateway { $0.emailLimit = 2 }
        _ = try await limited.signUp("known")
        for name in ["known", "unknown"] {
            let input: JSON = ["requestType": "PASSWORD_RESET", "email": .string("\(name)@example.com")]
            var outcomes: [String] = []
            for _ in 1...3 {
                outcomes.append(try await limited.gateway.post("/v1/accounts:sendOobCode", input).outcome)
            }
            #expect(outcomes == ["200", "200", tooMany])
        }
    }
}
