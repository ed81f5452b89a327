/// The grace period of apps that were stored before a rule about guideline 4.8 was added: they keep working and are
/// reported, so that their operators can repair them.
public enum LoginServicesGrace {
    /// From the first start of a gateway that finds the violation.
    public static let period: Duration = .seconds(90 * 86_400)

    /// When the grace period of the app ends, after a start of the gateway that found it in one of `realms`; `nil` if
    /// the app has no violation. An app gets no second period until it has been compliant.
    public static func end(for app: App, in realms: [Project], startingAt now: Instant) -> Instant? {
        guard realms.contains(where: { !LoginServices(of: app, in: $0).isCompliant }) else { return nil }
        return app.graceEndsAt ?? now + period
    }
}

extension App {
    /// The app as it is at a time: a grace period that has ended does not count.
    public func current(at now: Instant) -> App {
        var app = self
        if let end = graceEndsAt, end <= now { app.graceEndsAt = nil }
        return app
    }
}
