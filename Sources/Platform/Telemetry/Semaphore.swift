internal import Glibc

/// A POSIX semaphore. Tasks must not call the `wait` functions, which block the thread.
final class Semaphore: @unchecked Sendable {
    // The semaphore is thread-safe, and the pointer never changes.
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(handle, 0, 0) }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    func signal() { sem_post(handle) }

    func wait() {
        while sem_wait(handle) != 0 && errno == EINTR {}
    }

    /// - Returns: `false` after a timeout.
    func wait(atMost timeout: Duration) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let (seconds, attoseconds) = timeout.components
        let nanoseconds = deadline.tv_nsec + Int(attoseconds / 1_000_000_000)
        deadline.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while sem_timedwait(handle, &deadline) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
