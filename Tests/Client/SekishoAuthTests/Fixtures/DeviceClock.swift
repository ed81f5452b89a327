import Foundation
import Identity
import SekishoAuth
import Synchronization

@testable import Support

/// The clocks of a device. They advance together with the gateway's clock. The wall-clock time can be wrong.
final class DeviceClock: Sendable {
    /// Waits up to this many seconds end at once, because they are pauses between retries.
    private static let longestPause: TimeInterval = 5

    private struct State {
        var wallClockError: TimeInterval = 0
        var sleepers: [UUID: (wake: TimeInterval, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var sleeps: [TimeInterval] = []
    }

    private let gatewayClock: TestClock
    private let state = Mutex(State())

    init(_ gatewayClock: TestClock) { self.gatewayClock = gatewayClock }

    private var seconds: TimeInterval { TimeInterval(gatewayClock.now.seconds) }

    /// Seconds by which the device's wall clock is ahead of the gateway's.
    var wallClockError: TimeInterval {
        get { state.withLock { $0.wallClockError } }
        set { state.withLock { $0.wallClockError = newValue } }
    }

    /// The requested durations of all waits so far, in seconds.
    var sleeps: [TimeInterval] { state.withLock { $0.sleeps } }
    /// The number of tasks that now wait for the clock.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clocks of the device and the gateway.
    func advance(by seconds: TimeInterval) {
        gatewayClock.advance(by: .seconds(seconds))
        let now = self.seconds
        let woken = state.withLock { state in
            let woken = state.sleepers.filter { $0.value.wake <= now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// The value of ``SekishoOptions/clock`` for an app on this device.
    var authClock: AuthClock {
        AuthClock(
            now: { [self] in Date(timeIntervalSince1970: seconds + wallClockError) },
            // The device started on 2023-11-14 (1,700,000,000 seconds after 1970).
            uptime: { [self] in seconds - 1_700_000_000 },
            sleep: { [self] in try await sleep($0) })
    }

    private func sleep(_ duration: TimeInterval) async throws {
        state.withLock { $0.sleeps.append(duration) }
        if duration <= Self.longestPause { return try Task.checkCancellation() }
        let id = UUID()
        let wake = seconds + duration
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.sleepers[id] = (wake, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
