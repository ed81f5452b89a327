import Crypto
import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// An attack: within an hour, wrong passwords for one email address came from a hundred networks. From then on, unknown
/// networks together have one attempt per minute. Known networks, from which the account was used in the last 30 days,
/// are not affected.
@Suite("Wrong passwords for one email address from many networks")
struct PasswordAttackTests {
    private let tooMany = LimitedGateway.tooManyAttempts
    private let wrong = "400 INVALID_LOGIN_CREDENTIALS"

    /// Tries one wrong password from each of several /24 networks.
    ///
    /// - Parameter networks: the numbers of the networks (default: ``Policy/addressFailureLimit`` of them). With one
    ///   more network, the attack also uses up the one attempt of the current minute.
    /// - Returns: the outcome of each attempt.
    private func attack(
        _ limited: LimitedGateway, _ name: String = "ada", networks: Range<Int> = 0..<100,
        at gateway: TestGateway? = nil
    ) async throws -> [String] {
        var outcomes: [String] = []
        for number in networks {
            outcomes.append(
                try await limited.tryWrongPassword(name, from: "10.\(number / 250).\(number % 250).1", at: gateway)
                    .outcome)
        }
        return outcomes
    }

    @Test("During an attack, the owner's network is not limited, and all others share one attempt per minute")
    func ownerNetwork() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp()
        #expect(try await attack(limited) == Array(repeating: wrong, count: 100))
        #expect(try await attack(limited, networks: 100..<110) == [wrong] + Array(repeating: tooMany, count: 9))
        let refused = try await limited.signIn("ada", "secret1", from: "203.0.113.1")
        #expect(refused.outcome == tooMany, "the right password from an unknown network")
        #expect(refused.headers["Retry-After"] == "60")
        for peer in [LimitedGateway.clientAddress, "192.0.2.200"] {
            #expect(try await limited.signIn("ada", "secret1", from: peer).outcome == "200", "\(peer)")
            #expect(try await limited.tryWrongPassword("ada", from: peer).outcome == wrong, "\(peer)")
        }
        limited.gateway.clock.advance(by: .seconds(60))
        #expect(
            try await limited.signIn("ada", "secret1", from: "203.0.113.1").outcome == "200",
            "the one attempt of this minute")
        #expect(
            try await limited.signIn("ada", "secret1", from: "203.0.113.2").outcome == "200", "the network is known now"
        )
        #expect(try await limited.signIn("ada", "secret1", from: "198.51.100.1").outcome == tooMany)
        limited.gateway.clock.advance(by: .seconds(3600))
        #expect(try await limited.signIn("ada", "secret1", from: "198.51.100.1").outcome == "200", "the hour is over")
    }

    @Test("During an attack, addresses with and without an account get the same responses")
    func knownAndUnknownAddresses() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp("known")
        let seen = try await ["known", "unknown"].asyncMap { try await attack(limited, $0, networks: 0..<105) }
        #expect(seen[0] == seen[1])
        #expect(seen[0].suffix(5) == [wrong, tooMany, tooMany, tooMany, tooMany])
        // For each of the two addresses: 100 within the limit, and the one attempt of the minute.
        #expect(limited.passwordChecks.count == 202)
    }

    struct NetworkRow: CustomTestStringConvertible {
        let testDescription: String
        /// The client's address in the account's session before the attack.
        let sessionAddress: String
        /// The address from which the owner signs in during the attack.
        let ownerAddress: String
        let isKnown: Bool
    }

    @Test(
        "A session makes the client's IPv4 /24 or IPv6 /56 a known network",
        arguments: [
            NetworkRow(
                testDescription: "the same /24", sessionAddress: "192.0.2.1", ownerAddress: "192.0.2.99", isKnown: true),
            NetworkRow(
                testDescription: "the next /24", sessionAddress: "192.0.2.1", ownerAddress: "192.0.3.1", isKnown: false),
            NetworkRow(
                testDescription: "the same /56", sessionAddress: "2001:db8:1:1100::1",
                ownerAddress: "2001:db8:1:11ff::1", isKnown: true),
            NetworkRow(
                testDescription: "the next /56", sessionAddress: "2001:db8:1:1100::1",
                ownerAddress: "2001:db8:1:1200::1", isKnown: false),
        ])
    func knownNetwork(row: NetworkRow) async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp(from: row.sessionAddress)
        _ = try await attack(limited, networks: 0..<101)
        let outcome = try await limited.signIn("ada", "secret1", from: row.ownerAddress).outcome
        #expect(outcome == (row.isKnown ? "200" : tooMany))
    }

    @Test("Replicas share the counts of wrong passwords")
    func replicas() async throws {
        let limited = try await LimitedGateway()
        let replica = try limited.gateway.replica()
        _ = try await limited.signUp()
        _ = try await attack(limited, networks: 0..<50)
        _ = try await attack(limited, networks: 50..<100, at: replica)
        // The counts of a window are exchanged only if a request has used it, so each exchange follows a sign-in. The
        // first gateway exchanges again to get the counts of the replica.
        for gateway in [limited.gateway, replica, limited.gateway] {
            _ = try await limited.signIn("ada", "secret1", at: gateway)
            try await gateway.synchronizeRateLimits()
        }
        for gateway in [limited.gateway, replica] {
            let outcomes = try await attack(limited, networks: 100..<103, at: gateway)
            #expect(outcomes == [wrong, tooMany, tooMany])
            #expect(try await limited.signIn("ada", "secret1", at: gateway).outcome == "200", "from the known network")
        }
    }

    @Test("Concurrent wrong passwords from many networks are limited too")
    func burst() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp()
        let outcomes = try await concurrently(300) { number in
            try await limited.tryWrongPassword("ada", from: "10.\(number / 250).\(number % 250).1").outcome
        }
        // 100 within the limit, and at most the one attempt of the minute that all unknown networks share.
        #expect((100...101).contains(outcomes.count { $0 == wrong }))
        #expect(outcomes.allSatisfy { $0 == wrong || $0 == tooMany })
    }

    @Test(
        "During an attack, a password reset and a sign-in link still work, and each makes the network known",
        arguments: ["reset", "link"])
    func otherMethods(method: String) async throws {
        let limited = try await LimitedGateway()
        let gateway = limited.gateway
        _ = try await limited.signUp(from: "203.0.113.1")
        _ = try await attack(limited, networks: 0..<101)
        #expect(try await limited.signIn("ada", "secret1").outcome == tooMany)
        if method == "reset" {
            let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
            #expect(try await gateway.resetPassword(code, "secret1").outcome == "200")
        } else {
            let code = try await gateway.requestedCode(
                "EMAIL_SIGNIN", ["email": "ada@example.com", "continueUrl": "http://localhost/"])
            let signedIn = try await gateway.signInWithEmailLink("ada@example.com", code)
            #expect(signedIn.outcome == "200")
            // The sign-in verified the address, and so removed the password that was set before.
            let token = try #require(signedIn.json["idToken"])
            #expect(
                try await gateway.post("/v1/accounts:update", ["idToken": token, "password": "secret1"]).status == 200)
        }
        #expect(try await limited.signIn("ada", "secret1").outcome == "200")
    }

    @Test("A network is no longer known thirty days after the account's last sign-in there")
    func forgotten() async throws {
        let limited = try await LimitedGateway()
        _ = try await limited.signUp()
        limited.gateway.clock.advance(by: .seconds(20 * 86_400))
        #expect(try await limited.signIn("ada", "secret1").outcome == "200")
        limited.gateway.clock.advance(by: .seconds(29 * 86_400))
        _ = try await attack(limited, networks: 0..<101)
        #expect(try await limited.signIn("ada", "secret1").outcome == "200")
        limited.gateway.clock.advance(by: Policy.knownNetworkLifetime)
        _ = try await attack(limited, networks: 0..<101)
        #expect(try await limited.signIn("ada", "secret1").outcome == tooMany)
    }

    @Test("Known networks are stored as keyed hashes, without IP addresses, and are deleted with the account")
    func hashed() async throws {
        let limited = try await LimitedGateway()
        let pool = limited.gateway.database.pool
        let ada = try TestGateway.Tokens(try await limited.signUp())
        for _ in 1...2 { _ = try await limited.signIn("ada", "secret1") }
        _ = try await limited.gateway.post("/v1/accounts:signUp")
        let rows = try await pool.query("SELECT network_hash, known_network::text AS row FROM known_network")
        #expect(rows.count == 1, "one account, one network; an anonymous account has none")
        let row = try #require(rows.first)
        #expect(try !row.decode("row", as: String.self).contains("192.0.2"))
        // The hashes have a secret key, so a guess cannot be confirmed by hashing it.
        for guess in ["192.0.2.0/24", "demo\0192.0.2.0/24"] {
            let hash = try row.decode("network_hash", as: [UInt8].self)
            #expect(hash != Array(Digest.sha256(Array(guess.utf8)).prefix(16)))
        }
        #expect(try await limited.gateway.delete(ada.idToken).outcome == "200")
        #expect(try await pool.query("SELECT 1 AS one FROM known_network").isEmpty)
    }

    @Test("Wrong passwords from many networks are not limited if the limit is 0")
    func unlimited() async throws {
        let limited = try await LimitedGateway { $0.passwordFailureLimit = 0 }
        _ = try await limited.signUp()
        #expect(try await attack(limited, networks: 0..<105) == Array(repeating: wrong, count: 105))
    }
}
