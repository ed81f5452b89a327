internal import Identity
internal import Postgres

/// Rows of one table that the janitor deletes by the time in one of their columns.
struct ExpiringRows {
    let table: SQL
    let key: [SQL]
    /// The column with the time.
    let column: SQL
    /// Rows with an earlier time are deleted.
    let end: Instant
    /// Whether the column is a day (UTC) instead of a time.
    var isDay = false
    /// A further condition, which begins with `AND`.
    var condition: SQL = ""
}

extension Janitor.Kind {
    /// `nil` for the kinds whose deletion examines more than one table, or changes another one.
    func expiringRows(at now: Instant) -> ExpiringRows? {
        let end = now - Janitor.maximumClockSkew
        switch self {
        case .browserSession, .session, .account, .auditEvent, .deletedRealm: return nil
        case .replayKey:
            return ExpiringRows(table: "replay_guard", key: ["realm_id", "hash"], column: "expires_at", end: end)
        case .authorizationFlow:
            return ExpiringRows(table: "authorization_flow", key: ["state_hash"], column: "expires_at", end: end)
        case .signInCode:
            return ExpiringRows(table: "sign_in_code", key: ["realm_id", "code_hash"], column: "kept_until", end: end)
        case .signInFlow:
            return ExpiringRows(table: "sign_in_flow", key: ["realm_id", "flow_hash"], column: "expires_at", end: end)
        case .revokedSubject:
            return ExpiringRows(
                table: "revoked_subject", key: ["realm_id", "subject_hash"], column: "expires_at", end: end)
        case .oobCode:
            return ExpiringRows(
                table: "oob_code", key: ["hash"], column: "expires_at", end: now - Janitor.expiredCodeRetention)
        case .phoneCode:
            return ExpiringRows(
                table: "phone_code", key: ["realm_id", "hash"], column: "expires_at",
                end: now - Janitor.expiredCodeRetention)
        case .rateLimitCounter:
            return ExpiringRows(
                table: "rate_limit_counter", key: ["key", "window_start"], column: "expires_at", end: end)
        case .outgoingEmail:
            return ExpiringRows(
                table: "outgoing_email", key: ["id"], column: "failed_at", end: now - Janitor.failedEmailRetention,
                condition: "AND expires_at < \(Timestamp(now))")
        case .outgoingSMS:
            return ExpiringRows(
                table: "outgoing_sms", key: ["realm_id", "id"], column: "failed_at",
                end: now - Janitor.failedEmailRetention)
        case .smsUsage:
            return ExpiringRows(
                table: "sms_usage", key: ["realm_id", "day", "calling_code"], column: "day",
                end: now - Janitor.smsUsageRetention, isDay: true)
        case .outbox:
            return ExpiringRows(
                table: "outbox", key: ["realm_id", "id"], column: "created_at", end: now - Janitor.eventRetention)
        case .accountEvent:
            return ExpiringRows(
                table: "account_event", key: ["project_id", "sequence"], column: "created_at",
                end: now - Janitor.eventRetention, condition: "AND NOT (\(Self.mustStillBeDelivered("account_event")))")
        case .eventDelivery:
            return ExpiringRows(
                table: "event_delivery", key: ["project_id", "endpoint_id", "sequence"], column: "attempted_at",
                end: now - Janitor.deliveryLogRetention, condition: "AND state <> 'pending'")
        case .accountMerge:
            return ExpiringRows(
                table: "account_merge", key: ["realm_id", "source_id"], column: "undo_until", end: now)
        case .knownNetwork:
            return ExpiringRows(
                table: "known_network", key: ["realm_id", "account_id", "network_hash"], column: "last_seen_at",
                end: now - Policy.knownNetworkLifetime)
        case .hourlyCount:
            return ExpiringRows(
                table: "hourly_count", key: ["realm_id", "hour", "kind", "label"], column: "hour",
                end: now - Janitor.hourlyCountRetention)
        case .dailyCount:
            return ExpiringRows(
                table: "daily_count", key: ["realm_id", "day", "kind", "label"], column: "day",
                end: now - Janitor.dailyCountRetention, isDay: true)
        }
    }

    /// A condition: the law requires the listener to get the event, and some endpoint has not accepted it yet.
    private static func mustStillBeDelivered(_ event: SQL) -> SQL {
        """
        \(event).kind = ANY (\(AccountEvent.Kind.keptUntilDelivered.map(\.rawValue))) AND EXISTS (
            SELECT FROM event_endpoint p WHERE p.project_id = \(event).project_id AND p.url IS NOT NULL
                AND (p.last_sequence < \(event).sequence OR EXISTS (SELECT FROM event_delivery d
                    WHERE d.project_id = p.project_id AND d.endpoint_id = p.id AND d.sequence = \(event).sequence
                        AND d.state = 'pending')))
        """
    }
}
