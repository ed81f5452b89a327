import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

/// Requests and workers that are counted, as `listCounts` shows them.
@Suite("Counts")
struct CountedEventTests {
    private static let day: Duration = .seconds(86_400)

    private struct Fixture {
        let gateway: TestGateway
        let reader: ServiceKey

        /// - Parameter reader: `nil` to create the key.
        init(_ gateway: TestGateway, reader: ServiceKey? = nil) async throws {
            self.gateway = gateway
            if let reader {
                self.reader = reader
                return
            }
            self.reader = try await ServiceKey(id: "reader", in: gateway, scopes: ServiceKeyScopes([.readConfig]))
        }

        func counts(_ query: (String, String)..., by key: ServiceKey? = nil) async throws -> Exchange {
            try await gateway.send(
                .get, "/v1/projects/demo/counts", by: key ?? reader, query: query.map { (name: $0.0, value: $0.1) })
        }

        /// The totals of a kind in the last 24 hours, by label.
        func totals(_ kind: CountKind) async throws -> [String: Double] {
            var totals: [String: Double] = [:]
            for series in try await counts(("kinds", kind.rawValue)).json["series"]?.elements ?? [] {
                guard let label = series["label"]?.string, case .number(let total)? = series["total"] else { continue }
                totals[label] = total
            }
            return totals
        }

        /// The latest days of the first series of a kind.
        func days(_ count: Int, _ kind: CountKind, range: CountRange = .last30Days) async throws -> [JSON] {
            let response = try await counts(("kinds", kind.rawValue), ("timeRange", range.rawValue)).json
            return response["series"]?[0]?["counts"]?.elements.suffix(count) ?? []
        }
    }

    @Test("Sign-ups and sign-ins are counted by method")
    func methods() async throws {
        let fixture = try await Fixture(TestGateway())
        _ = try await fixture.gateway.signUp()
        for _ in 1...2 { #expect(try await fixture.gateway.signIn().isSuccess) }
        _ = try await fixture.gateway.signUpAnonymously()
        #expect(try await fixture.totals(.signUps) == ["password": 1, "anonymous": 1])
        #expect(try await fixture.totals(.signIns) == ["password": 3, "anonymous": 1])
    }

    @Test("A change by a signed-in caller, who gets a new session, is no sign-in")
    func renewedSession() async throws {
        let fixture = try await Fixture(TestGateway())
        let ada = try await fixture.gateway.signUp()
        #expect(try await fixture.gateway.update(ada.idToken, ["password": "secret2"]).isSuccess)
        #expect(try await fixture.totals(.signIns) == ["password": 1])
    }

    @Test("Rejected requests of apps are counted by error code, and durations of all; requests of backends are not")
    func refusals() async throws {
        let fixture = try await Fixture(TestGateway())
        _ = try await fixture.gateway.signUp()
        _ = try await fixture.gateway.signIn(password: "wrong!")
        _ = try await fixture.gateway.post("/v1/accounts:signUp", ["email": "no address", "password": "secret1"])
        #expect(try await fixture.counts(("timeRange", "LAST_WEEK")).status == 400)
        #expect(try await fixture.totals(.refusals) == ["INVALID_PASSWORD": 1, "INVALID_EMAIL": 1])
        #expect(try await fixture.totals(.latency).values.reduce(0, +) == 3)
    }

    @Test("An account is active once a day, whatever it does in its sessions")
    func activeAccounts() async throws {
        let fixture = try await Fixture(TestGateway())
        let (gateway, clock) = (fixture.gateway, fixture.gateway.clock)
        let first = try await gateway.signUp()
        let second = try TestGateway.Tokens(try await gateway.signIn())
        #expect(try await gateway.refresh(first.refreshToken).isSuccess)
        #expect(try await fixture.days(1, .activeAccounts) == [1])
        clock.advance(by: Self.day)
        for token in [second.refreshToken, first.refreshToken, second.refreshToken] {
            #expect(try await gateway.refresh(token).isSuccess)
        }
        #expect(try await fixture.days(2, .activeAccounts) == [1, 1])
        clock.advance(by: Self.day)
        #expect(try await gateway.signIn().isSuccess)
        #expect(try await gateway.refresh(first.refreshToken).isSuccess)
        #expect(try await gateway.signIn().isSuccess)
        #expect(try await fixture.days(3, .activeAccounts) == [1, 1, 1])
    }

    @Test("An account of a custom token is active once a day")
    func customTokens() async throws {
        let fixture = try await Fixture(TestGateway())
        let backend = try await ServiceKey(in: fixture.gateway)
        for day in 1...2 {
            for _ in 1...2 {
                let token = try backend.customToken(at: fixture.gateway.clock.now)
                #expect(try await fixture.gateway.signIn(customToken: token).isSuccess)
            }
            #expect(try await fixture.days(day, .activeAccounts) == Array(repeating: 1, count: day))
            fixture.gateway.clock.advance(by: Self.day)
        }
    }

    @Test("A code that Apple exchanged for a token is counted")
    func appleTokens() async throws {
        let fixture = try await Fixture(TestGateway(servesApple: true))
        _ = try await fixture.gateway.signInWithAppleAndRedeemCode()
        #expect(try await fixture.totals(.appleTokens) == ["stored": 1])
        #expect(try await fixture.totals(.signIns) == ["apple.com": 1])
    }

    @Test("Counts of the past move to earlier periods, and those of days before yesterday come from the daily table")
    func periods() async throws {
        let fixture = try await Fixture(TestGateway())
        let (clock, janitor) = (fixture.gateway.clock, Janitor(pool: fixture.gateway.database.pool))
        _ = try await fixture.gateway.signUp()
        #expect(try await fixture.days(2, .signUps, range: .last24Hours) == [0, 1])
        clock.advance(by: .seconds(3600))
        #expect(try await fixture.days(2, .signUps, range: .last24Hours) == [1, 0])
        clock.advance(by: .seconds(23 * 3600))
        #expect(try await fixture.days(2, .signUps, range: .last24Hours) == [])
        #expect(try await fixture.days(2, .signUps) == [1, 0])
        // No janitor has added up the day yet.
        clock.advance(by: Self.day * 2)
        #expect(try await fixture.days(4, .signUps) == [1, 0, 0, 0])
        #expect(try await janitor.remove(.hourlyCount, at: clock.now) == 0)
        #expect(try await fixture.days(4, .signUps) == [1, 0, 0, 0])
        clock.advance(by: Self.day * 38)
        #expect(try await janitor.remove(.hourlyCount, at: clock.now) > 0)
        #expect(try await fixture.days(42, .signUps, range: .last365Days).first == 1)
        clock.advance(by: Self.day * 700)
        #expect(try await janitor.remove(.dailyCount, at: clock.now) > 0)
    }

    @Test("The counts of all replicas are added up")
    func replicas() async throws {
        let fixture = try await Fixture(TestGateway())
        let replica = try await Fixture(fixture.gateway.replica(), reader: fixture.reader)
        _ = try await fixture.gateway.signUp()
        _ = try await replica.gateway.signUp(email: "bob@example.com")
        _ = try await replica.totals(.signUps)
        #expect(try await fixture.totals(.signUps) == ["password": 2])
    }

    @Test("While the database rejects counts, they stay in memory")
    func outage() async throws {
        let fixture = try await Fixture(TestGateway())
        let pool = fixture.gateway.database.pool
        _ = try await fixture.gateway.signUp()
        _ = try await pool.execute("ALTER TABLE hourly_count RENAME TO unavailable")
        #expect(try await fixture.counts().status >= 500)
        _ = try await pool.execute("ALTER TABLE unavailable RENAME TO hourly_count")
        #expect(try await fixture.totals(.signUps) == ["password": 1])
    }

    @Test("Counts of a tenant that no longer exists are ignored, and do not prevent others")
    func deletedTenants() async throws {
        let fixture = try await Fixture(TestGateway())
        let other = ID<Realm>(ID<Tenant>("unknown"), of: ID("demo"))
        fixture.gateway.root.counts.counting(by: fixture.gateway.clock.wallClock)(.activeAccount, other)
        _ = try await fixture.gateway.signUp()
        #expect(try await fixture.totals(.activeAccounts) == ["": 1])
    }

    @Test("Another scope, an unknown kind and an unknown range are rejected")
    func rejections() async throws {
        let fixture = try await Fixture(TestGateway())
        let writer = try await ServiceKey(id: "writer", in: fixture.gateway, scopes: ServiceKeyScopes([.writeUsers]))
        #expect(try await fixture.counts(by: writer).status == 403)
        for query in [("kinds", "signIns,"), ("kinds", "signins"), ("timeRange", "last_24_hours")] {
            let outcome = try await fixture.counts(query).outcome
            #expect(outcome.hasPrefix("400 Invalid JSON payload received. /\(query.0) "))
        }
    }
}
