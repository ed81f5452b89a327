public import Foundation

/// A change of the display name and the photo URL. Set the properties, then call ``commitChanges()`` once.
public final class UserProfileChangeRequest: Sendable {
    /// The values that were set. `nil` keeps a property unchanged, and `.some(nil)` removes it.
    private struct Values: Sendable {
        var displayName: String??
        var photoURL: URL??
        var isCommitted = false
    }

    private let user: User
    private let values = Locked(Values())

    init(user: User) { self.user = user }

    /// The new display name. Set `nil` to remove it.
    public var displayName: String? {
        get { values.current.displayName ?? user.displayName }
        set { values.withLock { $0.displayName = .some(newValue) } }
    }

    /// The new photo URL. Set `nil` to remove it.
    public var photoURL: URL? {
        get { values.current.photoURL ?? user.photoURL }
        set { values.withLock { $0.photoURL = .some(newValue) } }
    }

    /// Sends the properties that were set. The others stay unchanged.
    ///
    /// - Throws: ``AuthErrorCode/internalError`` if it is called a second time.
    public func commitChanges() async throws {
        let values = values.withLock { values in
            defer { values.isCommitted = true }
            return values
        }
        guard !values.isCommitted else {
            throw AuthErrorCode.internalError.with("A profile change request can be committed only once.")
        }
        guard values.displayName != nil || values.photoURL != nil else { return }
        var removed: [String] = []
        if case .some(.none) = values.displayName { removed.append("DISPLAY_NAME") }
        if case .some(.none) = values.photoURL { removed.append("PHOTO_URL") }
        let attributes = removed.isEmpty ? nil : removed
        try await user.changeAccount { idToken in
            UpdateRequest(
                idToken: idToken, displayName: values.displayName ?? nil,
                photoUrl: (values.photoURL ?? nil)?.absoluteString, deleteAttribute: attributes)
        }
    }

    /// Completion-handler form of the `async` method.
    public func commitChanges(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.commitChanges() }
    }
}
