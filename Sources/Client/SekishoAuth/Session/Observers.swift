internal import Dispatch
internal import Foundation

/// One registration for changes of the user.
struct Observer: Sendable {
    enum Subject: Sendable {
        /// Another user, or none.
        case user
        /// Another ID token, or none.
        case idToken
    }

    enum Delivery: Sendable {
        /// On the main queue, in order.
        case handler(MainQueueHandler<User?>)
        case stream(AsyncStream<User?>.Continuation)
    }

    let subject: Subject
    let delivery: Delivery
    /// What the observer knows: `nil` at first, then the uid or the ID token, which is `nil` if there is no user.
    var announced: String??
}

/// Identifies a listener, so that it can be removed.
final class ListenerHandle: NSObject, Sendable {
    let id: Int

    init(_ id: Int) { self.id = id }
}

extension AuthCore {
    /// Adds an observer, which gets the current user once the session is restored.
    func addObserver(_ subject: Observer.Subject, _ delivery: Observer.Delivery) -> Int {
        withState { state in
            let id = state.nextObserver
            state.nextObserver += 1
            state.observers[id] = Observer(subject: subject, delivery: delivery)
            if state.restoration != .pending { announce(&state) }
            return id
        }
    }

    func removeObserver(_ id: Int) {
        // The listener is released after the lock: the objects that it kept may remove a listener when they end.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }

    /// Queues a change for every observer that does not know it. Runs under the lock, which keeps the order.
    func announce(_ state: inout State) {
        let user = state.user
        for (id, observer) in state.observers.sorted(by: { $0.key < $1.key }) {
            let key =
                switch observer.subject {
                case .user: user?.uid
                case .idToken: user?.session.current.tokens.idToken
                }
            if let announced = observer.announced, announced == key { continue }
            state.observers[id]?.announced = .some(key)
            switch observer.delivery {
            case .stream(let continuation): continuation.yield(user)
            case .handler(let handler):
                DispatchQueue.main.async { [weak self] in
                    guard let self, self.state.withLock({ $0.observers[id] != nil }) else { return }
                    handler.call(user)
                }
            }
        }
    }

    /// Returns after the listeners were called for every change so far, so that a call's result comes after them.
    func listenersCalled() async {
        let hasListeners = state.withLock { state in
            state.observers.values.contains { if case .handler = $0.delivery { true } else { false } }
        }
        if hasListeners { await MainQueue.drained() }
    }
}

/// The users of an instance, one after another. The first element is the current user after the restore.
///
/// An iterator that is slow skips all but the newest user. The sequence ends when its task is cancelled.
public struct AuthStateSequence: AsyncSequence, Sendable {
    /// A user, or `nil` if no user is signed in.
    public typealias Element = User?
    /// The sequence does not fail.
    public typealias Failure = Never

    let cores: Locked<AuthCore>
    let subject: Observer.Subject

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncStream.makeStream(of: User?.self, bufferingPolicy: .bufferingNewest(1))
        let id = cores.current.addObserver(subject, .stream(continuation))
        continuation.onTermination = { [weak cores] _ in cores?.current.removeObserver(id) }
        return AsyncIterator(base: stream.makeAsyncIterator())
    }

    /// Iterates over the users of an instance.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<User?>.AsyncIterator

        /// Waits for the next user.
        public mutating func next() async -> User?? { await base.next() }
    }
}
