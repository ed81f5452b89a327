internal import CSystem
internal import EventLoop
internal import Synchronization

/// A child process that ends with this process, even if this process is killed.
///
/// The command (see ``ServerUser/command(_:_:output:)``) asks the kernel to signal the child when its parent ends. For
/// the kernel, the parent is the *thread* that started the child. This class therefore starts the child on the thread
/// of a loop, and stops the loop only in ``end()``.
final class ServerProcess: Sendable {
    private let parentLoop: Loop
    /// The process ID; `nil` after the process has been reaped.
    private let process: Mutex<pid_t?>

    init(_ command: ProcessCommand) throws {
        let parentLoop = try Loop(name: "postgres-parent")
        let outcome = Outcome()
        parentLoop.submit {
            let result = Result { () throws(PrivatePostgresError) in try command.start() }
            outcome.value.withLock { $0 = result }
        }
        // After a timeout, there is no process ID, as if the process had ended.
        _ = wait(for: .seconds(30)) { outcome.value.withLock { $0 != nil } }
        do {
            process = Mutex(try outcome.value.withLock { $0 }?.get())
            self.parentLoop = parentLoop
        } catch {
            parentLoop.stop()
            throw error
        }
    }

    var isRunning: Bool { process.withLock { !Self.reap(&$0) } }

    /// Stops the process: first by a fast shutdown (`SIGINT`), after 10 s by an immediate one (`SIGQUIT`), after 5 more
    /// seconds by `SIGKILL`. Call it only once.
    func end() {
        for (signal, timeout) in [(SIGINT, 10), (SIGQUIT, 5), (SIGKILL, 5)] {
            process.withLock { process in
                if !Self.reap(&process), let process { kill(process, signal) }
            }
            if wait(for: .seconds(timeout), until: { !isRunning }) { break }
        }
        parentLoop.stop()
    }

    /// Reaps the process if it has ended.
    ///
    /// - Returns: whether the process has ended.
    private static func reap(_ process: inout pid_t?) -> Bool {
        guard let id = process else { return true }
        guard waitpid(id, nil, WNOHANG) != 0 else { return false }
        process = nil
        return true
    }
}

/// The result of the start, set by the thread of the parent loop.
private final class Outcome: Sendable {
    let value = Mutex<Result<pid_t, PrivatePostgresError>?>(nil)
}

/// Blocks the thread until `condition` holds.
///
/// - Returns: `false` if `condition` did not hold within `limit`.
func wait(for limit: Duration, until condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        guard .now < deadline else { return false }
        usleep(5_000)
    }
    return true
}
