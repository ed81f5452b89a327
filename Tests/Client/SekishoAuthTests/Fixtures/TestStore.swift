import Foundation
import SekishoAuth
import Synchronization

/// A session store in memory that fails on demand.
final class TestStore: SessionStore {
    private struct State {
        var items: [String: Data] = [:]
        var failure: SessionStoreError?
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

    /// The only item; `nil` if the store is empty. A new value replaces the item; an empty store stays empty.
    var item: Data? {
        get { state.withLock { $0.items.values.first } }
        set { state.withLock { state in for key in state.items.keys { state.items[key] = newValue } } }
    }

    /// Makes every further `load`, `save` and `remove` throw an error, until `failure` is `nil`.
    func setFailure(_ failure: SessionStoreError?) { state.withLock { $0.failure = failure } }

    func load(_ key: String) throws -> Data? { try access { $0.items[key] } }

    func save(_ item: Data, for key: String) throws { try access { $0.items[key] = item } }

    func replace(_ expected: Data, with new: Data?, for key: String) throws -> Bool {
        try access { state in
            guard state.items[key] == expected else { return false }
            state.items[key] = new
            return true
        }
    }

    func remove(_ key: String) throws { try access { _ = $0.items.removeValue(forKey: key) } }

    private func access<Result: Sendable>(_ body: (inout State) -> Result) throws -> Result {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return body(&state)
        }
    }
}
