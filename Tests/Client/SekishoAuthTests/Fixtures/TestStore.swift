import Foundation
import SekishoAuth
import Synchronization

/// A session store in memory that fails on demand.
final class TestStore: SessionStore {
    struct State {
        var items: [String: Data] = [:]
        var failure: SessionStoreError?
        var saves = 0
    }

    let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.items.isEmpty } }
    var saves: Int { state.withLock { $0.saves } }

    /// The only item.
    var item: Data? {
        get { state.withLock { $0.items.values.first } }
        set { state.withLock { state in for key in state.items.keys { state.items[key] = newValue } } }
    }

    /// What every call throws from now on.
    func fail(_ failure: SessionStoreError?) { state.withLock { $0.failure = failure } }

    func load(_ key: String) throws -> Data? { try access { $0.items[key] } }

    func save(_ item: Data, for key: String) throws {
        try access { state in
            state.items[key] = item
            state.saves += 1
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
