internal import Foundation

extension AuthCore {
    /// Returns the backoff after failed attempts, in seconds: 60, doubled up to 960.
    static func refreshDelay(afterFailures failures: Int) -> TimeInterval {
        min(960, 60 * TimeInterval(1 << min(failures - 1, 4)))
    }

    /// Schedules the refresh of the current user's tokens shortly before they expire. Replaces the previous schedule.
    func scheduleRefresh(_ state: inout State) {
        state.proactiveRefresh?.cancel()
        state.proactiveRefresh = nil
        guard options.refreshesProactively, !state.hasStoppedProactiveRefreshes, let user = state.user else { return }
        let idToken = user.session.current.tokens.idToken
        // The next schedule, a sign-out and the end of the `Auth` instance cancel the task.
        state.proactiveRefresh = Task { [weak self, weak user, clock = options.clock] in
            var failures = 0
            while !Task.isCancelled, let core = self, let current = user {
                let tokens = current.session.current.tokens
                // A new token has its own schedule.
                guard tokens.idToken == idToken else { return }
                let wait =
                    failures == 0
                    ? tokens.timeUntilRefresh(at: core.gatewayClock.currentReading)
                    : Self.refreshDelay(afterFailures: failures)
                // Sleeping fails only if the task is cancelled.
                guard (try? await clock.sleep(wait)) != nil else { return }
                do {
                    _ = try await current.freshTokens()
                    failures = 0
                } catch { failures += 1 }
            }
        }
    }
}
