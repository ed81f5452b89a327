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

    private static var terminationSignals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }
}
