internal import EventLoop
internal import Telemetry

/// A task that the process repeats in the background.
struct Worker: Sendable {
    let name: String
    /// Returns the pause before a run. The first run has a pause too.
    let pause: @Sendable () -> Duration
    /// Whether the pause begins at the start of the previous run, and not at the end of that run.
    var pauseIncludesRun = false
    let run: @Sendable () async throws -> Void
}

/// Runs workers on a loop, independently of each other. A worker that fails runs again after its pause. If it fails
/// several times in a row, only the first failure is logged.
final class Workers: Sendable {
    private let tasks: [Task<Void, Never>]

    init(_ workers: [Worker], on loop: Loop, log: Log) {
        tasks = workers.map { worker in
            Task(executorPreference: loop) {
                var isFailing = false
                var runDuration = Duration.zero
                // A cancelled pause ends the worker.
                while (try? await loop.sleep(for: max(worker.pause() - runDuration, .zero))) != nil {
                    let start = ContinuousClock.now
                    defer { if worker.pauseIncludesRun { runDuration = start.duration(to: .now) } }
                    do {
                        try await worker.run()
                        isFailing = false
                    } catch is CancellationError {
                        return
                    } catch {
                        if !isFailing {
                            log.warning(
                                "worker failed: it runs again after a pause",
                                ["worker": .string(worker.name), "cause": .string("\(error)")])
                        }
                        isFailing = true
                    }
                }
            }
        }
    }

    /// Cancels the workers and waits until all have ended.
    func stop() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
