extension AppleGrant {
    /// How long the gateway tries to revoke a token at Apple.
    public static let revocationLifetime: Duration = .seconds(30 * 86_400)
    /// The time between two checks of a grant: Apple allows one check of a token per day.
    public static let checkInterval: Duration = .seconds(86_400)
    /// Only grants of accounts that were used within this time are checked.
    public static let activityWindow: Duration = .seconds(30 * 86_400)
    /// The checks within this time decide whether the checks of a client ID are stopped.
    public static let failureRateWindow: Duration = .seconds(3600)

    /// How often the grants are counted.
    public static let countInterval: Duration = .seconds(3600)

    /// The time of the first check of a new grant. First checks are spread over the second day, because many users sign
    /// in at the same time, for example after an announcement.
    ///
    /// - Parameter chance: a random number from 0 to 1.
    public static func firstCheck(after now: Instant, chance: Double) -> Instant {
        now + checkInterval + checkInterval * min(max(chance, 0), 1)
    }

    /// The maximum number of checks per minute of a client ID. If all its grants are overdue, their checks are spread
    /// over 1200 minutes (20 hours), unless there are so few that 10 checks per minute are faster.
    ///
    /// - Parameter grants: the number of the client ID's grants that are checked.
    public static func checksPerMinute(of grants: Int) -> Int { max(10, (grants + 1199) / 1200) }
}

extension CheckCounts {
    /// Up to this many failures never stop the checks of a client ID, because some users disconnect the app every day.
    private static let toleratedFailures = 2

    /// Whether so many checks fail (more than 5 %) that the probable reason is the configuration or a fault of Apple,
    /// and not users who disconnect the app.
    public var stopsChecks: Bool { failed > Self.toleratedFailures && failed * 20 > all }
}
