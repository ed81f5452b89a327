public import Foundation

/// Keeps the session between launches of the app.
///
/// Each call either has its whole effect or none, also if the process ends during the call.
public protocol SessionStore: Sendable {
    /// Returns the item, or `nil` if there is none.
    ///
    /// - Throws: ``SessionStoreError``. An item that cannot be read now must not be reported as `nil`, because the user
    ///   would be signed out.
    func load(_ key: String) throws -> Data?
    /// Replaces the item, or creates it.
    func save(_ item: Data, for key: String) throws
    /// Removes the item if there is one.
    func remove(_ key: String) throws
}

/// Why a session store cannot do its work.
public enum SessionStoreError: Error, Hashable, Sendable {
    /// The store is not accessible yet: the device has not been unlocked since it was started.
    case locked
    /// The store failed. The text names the cause and contains nothing of the item.
    case failed(String)
}
