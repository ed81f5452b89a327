internal import Gateway
internal import Glibc

/// Blocks, unblocks and waits for the termination signals SIGINT and SIGTERM.
enum Signals {
    /// Blocks both signals. Call it before any thread is started, because threads inherit the mask.
    static func block() {
        var signals = terminationSignals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Unblocks both signals, so that they end the process at once, for commands that may be interrupted at any moment.
    static func unblock() {
        var signals = terminationSignals
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Blocks the calling thread until one of the signals arrives.
    static func waitForTermination() {
        var signals = terminationSignals
        var signal: Int32 = 0
        sigwait(&signals, &signal)
    }

    /// Blocks the calling thread until one of the signals arrives, or until the time has passed.
    static func waitForTermination(atMost limit: Duration) {
        var signals = terminationSignals
        let end = ContinuousClock.now + limit
        while true {
            let rest = max(.zero, end - .now).components
            var timeout = timespec(tv_sec: Int(rest.seconds), tv_nsec: Int(rest.attoseconds / 1_000_000_000))
            // Another signal, such as SIGCONT, interrupts the wait.
            guard sigtimedwait(&signals, nil, &timeout) == -1, errno == EINTR else { return }
        }
    }

    private static var terminationSignals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }
}
