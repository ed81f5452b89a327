internal import Glibc

/// Takes the place of the standard library's `Mutex` under ThreadSanitizer, which knows the locks of pthreads. Where
/// threads wait for the other one, the kernel passes it on, and the tool reports a race that does not exist.
/// `Deploy/thread-sanitizer` adds this file to each module.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let value: UnsafeMutablePointer<Value>
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    init(_ initial: consuming sending Value) {
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        nonisolated(unsafe) let pointer = value
        return try body(&pointer.pointee)
    }
}
