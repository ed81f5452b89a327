internal import Gateway
internal import Glibc

/// SIGINT and SIGTERM as something to wait for.
enum Signals {
    /// Call before any thread is started: threads inherit that they are not to be interrupted.
    static func holdBack() {
        var asked = endingSignals
        pthread_sigmask(SIG_BLOCK, &asked, nil)
    }

    /// For what may end at any moment: the process is interrupted as usual.
    static func letThrough() {
        var asked = endingSignals
        pthread_sigmask(SIG_UNBLOCK, &asked, nil)
    }

    /// Blocks the calling thread until the process is asked to end.
    static func waitForEnd() {
        var asked = endingSignals
        var signal: Int32 = 0
        sigwait(&asked, &signal)
    }

    private static var endingSignals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }
}
