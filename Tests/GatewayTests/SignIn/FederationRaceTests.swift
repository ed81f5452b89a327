import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Concurrent sign-ins with providers")
struct FederationRaceTests {
    private static let requestCount = 12

    private func count(_ statement: SQL, in gateway: TestGateway) async throws -> Int64 {
        try #require(try await gateway.database.pool.query(statement).first).decode("count")
    }

    /// Alan has no email address.
    @Test("Concurrent first sign-ins of one user create one account", arguments: [SimulatedPerson.ada, .alan])
    func firstSignIns(person: SimulatedPerson) async throws {
        let gateway = try await TestGateway()
        let exchanges = try await concurrently(Self.requestCount) { _ in
            try await gateway.signIn(gateway.appleCredential(person))
        }
        #expect(exchanges.allSatisfy { $0.status == 200 }, "\(exchanges.map(\.outcome))")
        #expect(Set(exchanges.map { $0.json["localId"]?.string }).count == 1)
        #expect(exchanges.count { $0.json["isNewUser"] == true } == 1)
        #expect(try await gateway.accountCount() == 1)
    }

    @Test("Concurrent first sign-ins of one address with two providers create one account")
    func sameAddress() async throws {
        let gateway = try await TestGateway()
        let person = SimulatedPerson.mary
        let exchanges = try await concurrently(Self.requestCount) { number in
            try await gateway.signIn(
                number.isMultiple(of: 2) ? gateway.appleCredential(person) : gateway.googleCredential(person))
        }
        #expect(exchanges.allSatisfy { $0.status == 200 }, "\(exchanges.map(\.outcome))")
        #expect(Set(exchanges.map { $0.json["localId"]?.string }).count == 1)
    }

    @Test("Only one of several concurrent uses of a nonce succeeds")
    func nonces() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let credential = try gateway.appleCredential()
        let exchanges = try await concurrently(Self.requestCount) { _ in try await gateway.signIn(credential) }
        #expect(exchanges.count { $0.status == 200 } == 1, "\(exchanges.map(\.outcome))")
        #expect(exchanges.count { $0.outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE") } == Self.requestCount - 1)
    }

    @Test("Only one of several concurrent first sign-ins with the same nonce succeeds")
    func firstNonces() async throws {
        let gateway = try await TestGateway()
        let credential = try gateway.appleCredential()
        let exchanges = try await concurrently(Self.requestCount) { _ in try await gateway.signIn(credential) }
        #expect(exchanges.count { $0.status == 200 } == 1, "\(exchanges.map(\.outcome))")
        #expect(try await count("SELECT count(*) AS count FROM session", in: gateway) == 1)
    }

    @Test("Concurrent first sign-ins of many users each get the response for their own user")
    func manyUsers() async throws {
        let gateway = try await TestGateway()
        let people = (0..<30).map { SimulatedPerson.named("User", "Number\($0)") }
        let credentials = try people.map { try gateway.appleCredential($0) }
        let exchanges = try await withThrowingTaskGroup(of: (Int, Exchange).self) { group in
            // User 7 sends the credential of user 8, so that only one of the two signs in.
            for (number, credential) in credentials.enumerated() {
                group.addTask { (number, try await gateway.signIn(number == 7 ? credentials[8] : credential)) }
            }
            // User 9 also signs in with Google. Ada, who has no account, tries to re-authenticate.
            group.addTask { (30, try await gateway.signIn(gateway.googleCredential(people[9]))) }
            group.addTask { (31, try await gateway.signIn(gateway.appleCredential(.ada), ["autoCreate": false])) }
            return try await group.reduce(into: [Int: Exchange]()) { $0[$1.0] = $1.1 }
        }
        for (number, person) in people.enumerated() where number != 7 && number != 8 {
            let exchange = try #require(exchanges[number])
            #expect(exchange.status == 200 && exchange.json["email"]?.string == person.email, "\(exchange.outcome)")
        }
        #expect([7, 8].count { exchanges[$0]?.status == 200 } == 1)
        #expect([7, 8].count { exchanges[$0]?.outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE") == true } == 1)
        #expect(exchanges[30]?.json["localId"]?.string == exchanges[9]?.json["localId"]?.string)
        #expect(exchanges[31]?.outcome == "400 EMAIL_NOT_FOUND")
        #expect(try await gateway.accountCount() == 29, "every user but user 7")
    }

    @Test("Only one of several concurrent uses of a pending token succeeds")
    func pendingTokens() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let anonymous = try await gateway.signUpAnonymously()
        let pending = try #require(
            try await gateway.link(gateway.appleCredential(), to: anonymous.idToken).pendingToken)
        let exchanges = try await concurrently(Self.requestCount) { _ in
            try await gateway.signInWithIdp(["pendingToken": .string(pending)])
        }
        #expect(exchanges.count { $0.status == 200 } == 1, "\(exchanges.map(\.outcome))")
    }

    @Test("Only one of several concurrent uses of a client's merge token succeeds")
    func mergeTokens() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let anonymous = try await gateway.signUpAnonymously()
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(anonymous.idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(try gateway.appleCredential().postBody),
            ])
        let token = preview.json["mergeToken"] ?? .null
        let exchanges = try await concurrently(Self.requestCount) { _ in
            try await gateway.post("/v1/accounts:merge", ["idToken": .string(anonymous.idToken), "mergeToken": token])
        }
        #expect(exchanges.count { $0.status == 200 } == 1, "\(exchanges.map(\.outcome))")
        #expect(try await count("SELECT count(*) AS count FROM account_merge", in: gateway) == 1)
    }
}
