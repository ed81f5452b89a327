internal import Dispatch
internal import Foundation

/// A listener or an iterator that observes the current user.
struct Observer: Sendable {
    enum Subject: Sendable {
        /// Sign-in of another user, and sign-out.
        case user
        /// A change of the ID token, and sign-out.
        case idToken
    }

    enum Delivery: Sendable {
        case handler(MainQueueHandler<User?>)
        case stream(AsyncStream<User?>.Continuation)
        /// Like `handler`, but operations do not wait for it.
        case notification(MainQueueHandler<User?>)
    }

    let subject: Subject
    let delivery: Delivery
    /// The uid or ID token of the latest notification (`.some(nil)`: no user). `nil` before the first one.
    var lastNotified: String??
}

/// The handle with which the app removes a listener.
final class ListenerHandle: NSObject, Sendable {
    let id: Int

    init(_ id: Int) { self.id = id }
}

extension AuthCore {
    /// Adds an observer. It is notified of the current user as soon as the session is restored.
    ///
    /// - Parameter restoresSession: whether the caller waits until the session is restored (default: true).
    @discardableResult func addObserver(
        _ subject: Observer.Subject, _ delivery: Observer.Delivery, restoresSession: Bool = true
    ) -> Int {
        if restoresSession { restoreIfNeeded() }
        return state.withLock { state in
            let id = state.nextObserverID
            state.nextObserverID += 1
            state.observers[id] = Observer(subject: subject, delivery: delivery)
            if state.restoration != .pending { notifyObservers(&state) }
            return id
        }
    }

    func removeObserver(_ id: Int) {
        // The listener is released outside the lock, because deinitializing what it captured may remove another
        // listener.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }

    /// Notifies every observer for which the uid or the ID token has changed. Called with the lock held, so that
    /// notifications stay in order.
    func notifyObservers(_ state: inout State) {
        let user = state.user
        for (id, observer) in state.observers.sorted(by: { $0.key < $1.key }) {
            let key =
                switch observer.subject {
                case .user: user?.uid
                case .idToken: user?.session.current.tokens.idToken
                }
            if let lastNotified = observer.lastNotified, lastNotified == key { continue }
            state.observers[id]?.lastNotified = .some(key)
            switch observer.delivery {
            case .stream(let continuation): continuation.yield(user)
            case .handler(let handler), .notification(let handler):
                DispatchQueue.main.async { [weak self] in
                    guard let self, self.state.withLock({ $0.observers[id] != nil }) else { return }
                    handler.call(user)
                }
            }
        }
    }

    /// Waits until the listeners were called for every change so far. The `async` methods call it before they return.
    func waitForListeners() async {
        let hasListeners = state.withLock { state in
            state.observers.values.contains { if case .handler = $0.delivery { true } else { false } }
        }
        if hasListeners { await MainQueue.drain() }
    }
}

/// The values of ``Auth/authStateChanges`` and ``Auth/idTokenChanges``. The first element is the current user, once the
/// stored session is restored.
///
/// Only the latest value is buffered. The iteration ends when its task is cancelled.
public struct AuthStateSequence: AsyncSequence, Sendable {
    /// A user, or `nil` if no user is signed in.
    public typealias Element = User?
    /// The sequence never throws.
    public typealias Failure = Never

    let lockedCore: Locked<AuthCore>
    let subject: Observer.Subject

    /// Starts to observe the current user.
    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncStream.makeStream(of: User?.self, bufferingPolicy: .bufferingNewest(1))
        let id = lockedCore.current.addObserver(subject, .stream(continuation))
        continuation.onTermination = { [weak lockedCore] _ in lockedCore?.current.removeObserver(id) }
        return AsyncIterator(base: stream.makeAsyncIterator())
    }

    /// The iterator of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<User?>.AsyncIterator

        /// Waits for the next change, and returns the user. Returns `nil` when the task is cancelled.
        public mutating func next() async -> User?? { await base.next() }
    }
}
