public import Identity

/// What the endpoints of Sign in with Apple use.
public struct AppleServices: Sendable {
    let revocation: AppleTokenRevocation
    let grants: any AppleGrantStore
    let notifications: AppleNotificationService

    public init(
        revocation: AppleTokenRevocation, grants: any AppleGrantStore, notifications: AppleNotificationService
    ) {
        self.revocation = revocation
        self.grants = grants
        self.notifications = notifications
    }
}

extension AppleServices {
    /// What the deletion of the account will do at Apple.
    func revocation(onDeletionOf account: Account, in project: Project) async throws -> AppleRevocation {
        guard let identity = account.identities.first(where: { $0.provider == .apple }) else { return .none }
        let settings = project.settings(of: .apple)
        return AppleRevocation(
            of: identity, grants: try await grants.states(of: identity.subject, in: project.realm),
            canSign: settings?.hasSecret == true && settings?.apple != nil)
    }
}
