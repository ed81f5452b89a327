internal import Foundation

extension AuthCore {
    /// Seconds before another attempt after a failed one: a minute, doubled up to 16 minutes.
    static func refreshDelay(afterFailures failures: Int) -> TimeInterval {
        min(960, 60 * TimeInterval(1 << min(failures - 1, 4)))
    }

    /// Renews the current user's tokens when they become due. Replaces the former schedule.
    func scheduleRefresh(_ state: inout State) {
        state.proactiveRefresh?.cancel()
        state.proactiveRefresh = nil
        guard options.refreshesProactively, !state.isStopped, let user = state.user else { return }
        let idToken = user.session.current.tokens.idToken
        // Cancelled by the next schedule, and when the user changes.
        state.proactiveRefresh = Task { [weak self, weak user, clock = options.clock] in
            var failures = 0
            while !Task.isCancelled, let core = self, let current = user {
                let tokens = current.session.current.tokens
                // A new token has a schedule of its own.
                guard tokens.idToken == idToken else { return }
                let wait =
                    failures == 0
                    ? tokens.untilRefresh(core.time.reading) : Self.refreshDelay(afterFailures: failures)
                // A cancelled pause ends the schedule.
                guard (try? await clock.sleep(wait)) != nil else { return }
                do {
                    _ = try await current.freshTokens()
                    failures = 0
                } catch { failures += 1 }
            }
        }
    }
}
