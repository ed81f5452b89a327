internal import CSystem
internal import EventLoop
internal import Synchronization

/// A child process that ends with us, however we end.
///
/// The kernel signals a child when the *thread* that started it ends, so a thread of its own is kept for that.
final class ServerProcess: Sendable {
    private let keeper: Loop
    /// `nil` once it has been reaped.
    private let process: Mutex<pid_t?>

    init(_ command: ChildProcess) throws {
        let keeper = try Loop(name: "postgres-keeper")
        let outcome = Outcome()
        keeper.submit {
            let result = Result { () throws(PrivatePostgresError) in try command.start() }
            outcome.value.withLock { $0 = result }
        }
        _ = wait(for: .seconds(30)) { outcome.value.withLock { $0 != nil } }
        do {
            process = Mutex(try outcome.value.withLock { $0 }?.get())
            self.keeper = keeper
        } catch {
            keeper.stop()
            throw error
        }
    }

    var isRunning: Bool { process.withLock { !Self.reap(&$0) } }

    /// Asks politely (fast shutdown), then less so. Returns when the process is gone. To be called once.
    func end() {
        for (signal, patience) in [(SIGINT, 10), (SIGQUIT, 5), (SIGKILL, 5)] {
            process.withLock { process in
                if !Self.reap(&process), let process { kill(process, signal) }
            }
            if wait(for: .seconds(patience), until: { !isRunning }) { break }
        }
        keeper.stop()
    }

    /// - Returns: whether there is no such process any more.
    private static func reap(_ process: inout pid_t?) -> Bool {
        guard let id = process else { return true }
        guard waitpid(id, nil, WNOHANG) != 0 else { return false }
        process = nil
        return true
    }
}

/// Where the keeper's thread leaves what came of the start.
private final class Outcome: Sendable {
    let value = Mutex<Result<pid_t, PrivatePostgresError>?>(nil)
}

/// Blocks the thread until `condition` holds.
///
/// - Returns: `false` if it never held within `limit`.
func wait(for limit: Duration, until condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        guard .now < deadline else { return false }
        usleep(5_000)
    }
    return true
}
