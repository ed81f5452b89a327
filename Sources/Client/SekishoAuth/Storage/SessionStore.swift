public import Foundation

/// Stores sessions between launches of the app.
///
/// Each call must be atomic, even if the process ends during the call. If several processes share a store, for example
/// an app and its extensions, each call must be atomic for all of them.
public protocol SessionStore: Sendable {
    /// Returns the item of a key, or `nil` if it does not exist.
    ///
    /// - Throws: ``SessionStoreError`` if the item cannot be read. Do not return `nil` then, because that would sign
    ///   the user out.
    func load(_ key: String) throws -> Data?
    /// Replaces the item of a key, or creates it.
    ///
    /// - Throws: ``SessionStoreError``.
    func save(_ item: Data, for key: String) throws
    /// Replaces or removes the item of a key, unless it has changed since it was loaded.
    ///
    /// - Parameters:
    ///   - expected: the item, as ``load(_:)`` has returned it or as it was written.
    ///   - new: the new item, or `nil` to remove the item.
    /// - Throws: ``SessionStoreError``.
    /// - Returns: false if the item is not `expected`, or does not exist. Nothing is changed then.
    func replace(_ expected: Data, with new: Data?, for key: String) throws -> Bool
    /// Removes the item of a key if it exists.
    ///
    /// - Throws: ``SessionStoreError``.
    func remove(_ key: String) throws
}

/// An error of a ``SessionStore``.
public enum SessionStoreError: Error, Hashable, Sendable {
    /// The store cannot be accessed yet, because the device has not been unlocked since it started.
    case locked
    /// The store failed. The text states the cause. It must not contain any part of the item.
    case failed(String)
}
