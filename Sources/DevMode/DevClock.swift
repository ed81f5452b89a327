internal import Gateway
package import Identity
internal import Synchronization

/// A clock that test suites set, so that nothing has to be waited for.
package final class DevClock: Sendable {
    private enum State {
        case running(ahead: Duration)
        case frozen(at: Instant)
    }

    /// What RFC 3339 can write: years of four digits.
    static let range = Instant(seconds: 0)...Instant(seconds: 253_402_300_799)

    private let state = Mutex(State.running(ahead: .zero))
    private let machine: WallClock

    package init(machine: WallClock = .live) {
        self.machine = machine
    }

    var wallClock: WallClock { WallClock { [self] in now } }

    package var now: Instant { state.withLock { now($0) } }

    var isFrozen: Bool {
        state.withLock { state in
            if case .frozen = state { true } else { false }
        }
    }

    /// A frozen clock moves and stays frozen.
    ///
    /// - Returns: `false` if that would lead out of ``range``; nothing changes then.
    func advance(by duration: Duration) -> Bool {
        state.withLock { state in
            guard Self.range.contains(now(state) + duration) else { return false }
            switch state {
            case .running(let ahead): state = .running(ahead: ahead + duration)
            case .frozen(let instant): state = .frozen(at: instant + duration)
            }
            return true
        }
    }

    func freeze(at instant: Instant) {
        state.withLock { $0 = .frozen(at: instant) }
    }

    /// Goes with the machine's clock again.
    func reset() {
        state.withLock { $0 = .running(ahead: .zero) }
    }

    private func now(_ state: State) -> Instant {
        switch state {
        case .running(let ahead): machine.now() + ahead
        case .frozen(let instant): instant
        }
    }
}
