internal import CSystem

/// A value protected by a mutex, with a condition variable.
final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    func withLock<Value>(_ body: (inout State) -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Blocks the thread until `body` returns a value; must not be called by a task. Calls `body` at once, and again
    /// whenever the thread is woken. The mutex is locked during these calls.
    func waitUntil<Value>(_ body: (inout State) -> Value?) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let value = body(&state) { return value }
            pthread_cond_wait(changed, mutex)
        }
    }

    func wakeOne() { pthread_cond_signal(changed) }
    func wakeAll() { pthread_cond_broadcast(changed) }
}
