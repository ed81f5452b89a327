internal import HTTP
internal import Identity
internal import Telemetry

/// Counts notifications from Apple: accepted ones by outcome, and all others by the reason of the error.
struct AppleNotificationMetrics: Sendable {
    private let received: Counter
    private let refused: Counter
    private let lastMethodLost: Counter

    init(registry: Metrics) {
        received = registry.counter(
            "sekisho_apple_notifications_total", help: "Notifications from Apple that were accepted.",
            labels: [MetricLabel("outcome", AppleNotificationService.Outcome.allCases.map(\.rawValue))])
        refused = registry.counter(
            "sekisho_apple_notifications_refused_total",
            help: "Notifications that were rejected, or could not be verified or stored yet.",
            labels: [
                MetricLabel("reason", AppleNotificationRefusal.allCases.map(\.rawValue) + ["limit", "unavailable"])
            ])
        lastMethodLost = registry.counter(
            "sekisho_apple_accounts_without_sign_in_method_total",
            help: "Accounts whose last sign-in method was a deleted Apple Account.")
    }

    func record(_ receipt: AppleNotificationService.Receipt) {
        received.increment(receipt.outcome.rawValue)
        if !receipt.accountsWithoutSignInMethod.isEmpty {
            lastMethodLost.increment(by: UInt(receipt.accountsWithoutSignInMethod.count))
        }
    }

    /// Runs `work`, and counts and rethrows its error.
    func countingErrors(of work: () async throws -> Response) async throws -> Response {
        do {
            return try await work()
        } catch let refusal as AppleNotificationRefusal {
            refused.increment(refusal.rawValue)
            throw refusal
        } catch let refusal as RequestRefusal {
            refused.increment(AppleNotificationRefusal.malformed.rawValue)
            throw refusal
        } catch let refusal as TooManyAttempts {
            refused.increment("limit")
            throw refusal
        } catch {
            refused.increment("unavailable")
            throw error
        }
    }
}
