import Identity
import Postgres
import Simulators
import Storage
import Synchronization
import Testing

@testable import Gateway
@testable import Support

@Suite("The limit of rejected signals")
struct RejectedSignalTests {
    private static let context = RequestContext(
        network: ClientNetwork(prefixes: ["192.0.2.1"], knownNetworkPrefix: nil), device: nil, language: nil,
        trace: .none)

    @Test("Google's tokens do not count while its keys cannot be fetched, and bad ones do")
    func keysUnavailable() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let keysAreAvailable = Mutex(false)
        let service = GoogleSignalService(
            store: PostgresGoogleSignalStore(pool: gateway.database.pool),
            verifier: GoogleSignalVerifier { _, _ in
                guard keysAreAvailable.withLock({ $0 }) else {
                    throw ProviderUnreachable(provider: .googleSignals, reason: "status 503")
                }
                throw GoogleSignalRefusal.signature
            }, findRealm: { _ in nil }, limiter: try #require(gateway.limits).limiter, clock: gateway.clock.wallClock)
        for _ in 0...Policy.rejectedNotificationLimit {
            await #expect(throws: ProviderUnreachable.self) { try await service.receive("token", from: Self.context) }
        }
        keysAreAvailable.withLock { $0 = true }
        for _ in 0..<Policy.rejectedNotificationLimit {
            await #expect(throws: GoogleSignalRefusal.signature) {
                try await service.receive("token", from: Self.context)
            }
        }
        await #expect(throws: TooManyAttempts.self) { try await service.receive("token", from: Self.context) }
    }

    @Test("Signals do not count while the database fails")
    func databaseUnavailable() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let service = AppStoreService(
            store: PostgresAppStoreStore(pool: gateway.database.pool),
            verifier: AppStoreVerifier { _, now in
                AppStoreNotification(
                    id: "n", idHash: [], signedAt: now,
                    rescinded: AppTransaction(
                        id: "t", bundleID: SimulatedProviders.appleClientID, environment: "Production", signedAt: now))
            } transaction: { _, _ throws(AppStoreRefusal) in
                throw .malformed
            },
            findRealm: { _ in nil }, limiter: try #require(gateway.limits).limiter, clock: gateway.clock.wallClock)
        let token = try gateway.googleSignal(.sessionsRevoked)
        _ = try await gateway.database.pool.execute("ALTER TABLE identity_provider RENAME TO identity_provider_gone")
        for _ in 0...Policy.rejectedNotificationLimit {
            await #expect(throws: (any Error).self) {
                _ = try await service.receive(from: Self.context) { "payload" }
            }
            #expect(try await gateway.postSignal(token).status >= 500)
        }
        _ = try await gateway.database.pool.execute("ALTER TABLE identity_provider_gone RENAME TO identity_provider")
        #expect(try await gateway.postSignal(token).status == 202)
        _ = try await service.receive(from: Self.context) { "payload" }
    }
}
