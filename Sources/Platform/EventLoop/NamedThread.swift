internal import CSystem

/// A POSIX thread with a name, which debuggers and `top` show. Its creator must call either ``join()`` or
/// ``detach()``, so that the system releases the thread's memory.
public final class NamedThread: @unchecked Sendable {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private var handle = pthread_t()

    /// - Parameter name: at most 15 characters.
    /// - Throws: ``SystemError`` if the system cannot create a thread.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let code = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                shim_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", code: code)
        }
    }

    /// Whether the calling code runs on this thread.
    var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

    /// Waits until the thread has ended.
    func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end without ``join()``.
    public func detach() {
        pthread_detach(handle)
    }
}
