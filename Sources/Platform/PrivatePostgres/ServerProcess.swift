internal import CSystem
internal import EventLoop
internal import Synchronization

/// A child process that ends with this process, even if this process is killed.
///
/// The kernel signals a child when the *thread* that started it ends, so this class keeps a thread alive.
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

    /// Stops the process with increasingly strong signals, beginning with a fast shutdown. Returns when the process has
    /// ended. Call it once.
    func end() {
        for (signal, timeout) in [(SIGINT, 10), (SIGQUIT, 5), (SIGKILL, 5)] {
            process.withLock { process in
                if !Self.reap(&process), let process { kill(process, signal) }
            }
            if wait(for: .seconds(timeout), until: { !isRunning }) { break }
        }
        keeper.stop()
    }

    /// - Returns: whether the process has ended.
    private static func reap(_ process: inout pid_t?) -> Bool {
        guard let id = process else { return true }
        guard waitpid(id, nil, WNOHANG) != 0 else { return false }
        process = nil
        return true
    }
}

/// The result of the start, set by the keeper's thread.
private final class Outcome: Sendable {
    let value = Mutex<Result<pid_t, PrivatePostgresError>?>(nil)
}

/// Blocks the thread until `condition` holds.
///
/// - Returns: `false` if it did not hold within `limit`.
func wait(for limit: Duration, until condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        guard .now < deadline else { return false }
        usleep(5_000)
    }
    return true
}
