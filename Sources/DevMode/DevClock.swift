internal import Gateway
package import Identity
internal import Synchronization

/// The clock of `dev`. Tests can set it, so that they need not wait.
package final class DevClock: Sendable {
    private enum State {
        /// The clock runs, and is ahead of the machine's clock by this duration.
        case running(ahead: Duration)
        case frozen(at: Instant)
    }

    /// The times that the clock can be set to.
    static let range = Instant(seconds: 0)...Instant.latest

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

    /// Whether the clock shows another time than the clock of the machine.
    var isChanged: Bool {
        state.withLock { state in
            if case .running(ahead: .zero) = state { false } else { true }
        }
    }

    /// Advances the clock; a frozen clock stays frozen.
    ///
    /// - Returns: `false` if the new time would be outside ``range``; the clock then does not change.
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

    /// Resets the clock to that of the machine.
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
