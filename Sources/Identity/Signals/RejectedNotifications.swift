/// Limits the notifications of providers that are rejected, by client network. Any client can send one.
extension RateLimiter {
    /// Notifications belong to no project until they are verified.
    private static let installation = ID<Realm>("")

    /// Counts a notification as rejected before `verify` verifies it, so that concurrent notifications cannot exceed
    /// the limit. It is subtracted again unless it is bad.
    ///
    /// - Parameters:
    ///   - isRejection: whether an error means that the notification is bad. An outage does not.
    ///   - verify: returns the verified notification.
    /// - Throws: ``TooManyAttempts`` if the network has sent too many notifications that were rejected.
    func countingRejections<Notification>(
        from network: ClientNetwork, where isRejection: (any Error) -> Bool, _ verify: () async throws -> Notification
    ) async throws -> Notification {
        try count(
            .rejectedNotifications(from: network), Policy.rejectedNotificationLimit, Policy.rejectedNotificationWindow,
            Self.installation)
        do {
            let notification = try await verify()
            subtractNotification(from: network)
            return notification
        } catch {
            if !isRejection(error) { subtractNotification(from: network) }
            throw error
        }
    }

    private func subtractNotification(from network: ClientNetwork) {
        subtract(.rejectedNotifications(from: network), Policy.rejectedNotificationWindow, Self.installation)
    }
}
