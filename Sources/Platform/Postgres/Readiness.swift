internal import EventLoop

extension Loop {
    /// Waits until a descriptor is ready. Runs on the loop.
    ///
    /// - Returns: `false` if the deadline passed first.
    /// - Throws: ``SystemError`` if the kernel refuses the descriptor.
    func waitForReadiness(
        _ readiness: Readiness, of descriptor: Int32, until deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        let event = OneEvent(on: self)
        return try await withCheckedThrowingContinuation { continuation in
            event.begin(readiness, of: descriptor, until: deadline, continuation)
        }
    }
}

/// A watch and a timer. The first of the two events resumes the continuation.
private final class OneEvent {
    private let loop: Loop
    private var watch: Loop.Watch?
    private var timer: Loop.Timer?

    init(on loop: Loop) {
        self.loop = loop
    }

    func begin(
        _ readiness: Loop.Readiness, of descriptor: Int32, until deadline: ContinuousClock.Instant,
        _ continuation: CheckedContinuation<Bool, any Error>
    ) {
        do {
            watch = try loop.watch(descriptor, for: readiness) { _ in
                self.end()
                continuation.resume(returning: true)
            }
            timer = loop.schedule(after: ContinuousClock.now.duration(to: deadline)) {
                self.end()
                continuation.resume(returning: false)
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }

    private func end() {
        if let watch { loop.unwatch(watch) }
        if let timer { loop.cancel(timer) }
    }
}
