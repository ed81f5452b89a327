internal import EventLoop
internal import Telemetry

/// What a process does over and over beside answering requests.
struct Job: Sendable {
    let name: String
    /// Waited before every run, the first one too.
    let pause: @Sendable () -> Duration
    let run: @Sendable () async throws -> Void
}

/// Jobs at work on a loop, each by itself. A run that fails is told once and followed by the next one all the same.
final class Jobs: Sendable {
    private let tasks: [Task<Void, Never>]

    init(_ jobs: [Job], on loop: Loop, log: Log) {
        tasks = jobs.map { job in
            Task(executorPreference: loop) {
                var isFailing = false
                // A pause ends early only where the job is over.
                while (try? await loop.sleep(for: job.pause())) != nil {
                    do {
                        try await job.run()
                        isFailing = false
                    } catch is CancellationError {
                        return
                    } catch {
                        if !isFailing {
                            log.warning("job failed", ["job": .string(job.name), "cause": .string("\(error)")])
                        }
                        isFailing = true
                    }
                }
            }
        }
    }

    /// Returns once none is at work any more.
    func stop() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
