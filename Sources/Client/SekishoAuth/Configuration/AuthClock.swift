public import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// Source of time. Replace it in tests.
public struct AuthClock: Sendable {
    /// Returns the wall-clock time of the device, which the user can set.
    public var now: @Sendable () -> Date
    /// Returns the monotonic time in seconds. This clock cannot be set, and it continues while the device sleeps.
    public var uptime: @Sendable () -> TimeInterval
    /// Waits for a number of seconds. Throws `CancellationError` if the task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void

    /// Creates a clock.
    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> TimeInterval,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The clocks of the device.
    public static let device = AuthClock(
        now: { Date() },
        uptime: {
            // Both clocks continue while the device sleeps.
            #if canImport(Darwin)
                let clock = CLOCK_MONOTONIC
            #else
                let clock = CLOCK_BOOTTIME
            #endif
            var time = timespec()
            clock_gettime(clock, &time)
            return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
        },
        sleep: { seconds in try await Task.sleep(nanoseconds: UInt64(max(0, min(seconds, 1e9)) * 1e9)) })
}
