import Identity
import Storage
import Synchronization
import Testing
import Tokens

@testable import Gateway
@testable import Support

@Suite("Many concurrent forged notifications from one client network")
struct NotificationBurstTests {
    /// More than ``Policy/rejectedNotificationLimit``, which is 100.
    private static let notificationCount = 150

    /// Stops every verification until each notification either is being verified or was rejected by the rate limit.
    private final class Gate: Sendable {
        private let counts = Mutex((verified: 0, rejected: 0))

        var verified: Int { counts.withLock { $0.verified } }
        var rejected: Int { counts.withLock { $0.rejected } }

        func countRejection() { counts.withLock { $0.rejected += 1 } }

        func countVerificationAndWait() async throws {
            counts.withLock { $0.verified += 1 }
            while counts.withLock({ $0.verified + $0.rejected }) < NotificationBurstTests.notificationCount {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    @Test(
        "No more forged notifications are verified than the rate limit allows, even while Apple's keys are unavailable",
        .timeLimit(.minutes(5)),
        arguments: [true, false])
    func verifications(keysAreAvailable: Bool) async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let limiter = try #require(gateway.limits).limiter
        let gate = Gate()
        let service = AppleNotificationService(
            store: PostgresAppleNotificationStore(pool: gateway.database.pool),
            verifier: AppleNotificationVerifier { _, _ in
                try await gate.countVerificationAndWait()
                guard keysAreAvailable else { throw ProviderUnreachable(provider: .apple, reason: "status 503") }
                throw AppleNotificationRefusal.signature
            }, findRealm: { _ in nil },
            emailFactory: .live(
                under: gateway.masterKeys, actionBase: { _, _ in "" }, appLinkBase: { _, _ in nil }, sendsEmail: false),
            limiter: limiter, clock: gateway.clock.wallClock)
        let context = RequestContext(
            network: ClientNetwork(prefixes: ["192.0.2.1"], knownNetworkPrefix: nil), device: nil, language: nil,
            trace: .none)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.notificationCount {
                group.addTask {
                    do {
                        _ = try await service.receive(in: nil, from: context) { "payload" }
                    } catch is TooManyAttempts {
                        gate.countRejection()
                    } catch {}
                }
            }
        }
        #expect(gate.verified == Policy.rejectedNotificationLimit)
        #expect(gate.rejected == Self.notificationCount - Policy.rejectedNotificationLimit)
    }
}
