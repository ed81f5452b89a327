import Identity
import Synchronization

/// A clock that moves only when a test advances it.
final class TestClock: Sendable {
    private let current = Mutex(Instant(seconds: 1_800_000_000))

    var now: Instant { current.withLock { $0 } }
    var wallClock: WallClock { WallClock { [self] in now } }

    func advance(by duration: Duration) { current.withLock { $0 = $0 + duration } }
}
