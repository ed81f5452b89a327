public import Foundation

/// Stores sessions in memory, for tests and previews.
public final class MemoryStore: SessionStore {
    private let items = Locked<[String: Data]>([:])

    /// Creates an empty store.
    public init() {}

    /// Returns the item, or `nil` if it does not exist.
    public func load(_ key: String) throws -> Data? { items.withLock { $0[key] } }

    /// Replaces the item, or creates it.
    public func save(_ item: Data, for key: String) throws { items.withLock { $0[key] = item } }

    /// Replaces or removes the item if it is `expected`.
    public func replace(_ expected: Data, with new: Data?, for key: String) throws -> Bool {
        items.withLock { items in
            guard items[key] == expected else { return false }
            items[key] = new
            return true
        }
    }

    /// Removes the item if it exists.
    public func remove(_ key: String) throws { items.withLock { _ = $0.removeValue(forKey: key) } }
}
