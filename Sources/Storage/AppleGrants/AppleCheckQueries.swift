internal import FoundationEssentials
public import Identity
internal import Postgres

extension PostgresAppleGrantStore {
    public func checks(since start: Instant) async throws -> [AppleClientKey: CheckCounts] {
        try await rows(
            """
            SELECT project_id, client_id, count(*) AS checks, count(failure) AS failed FROM apple_grant
            WHERE checked_at > \(Timestamp(start)) GROUP BY project_id, client_id
            """
        ).reduce(into: [:]) { counts, row in
            counts[try AppleClientKey(row)] = CheckCounts(
                all: try row.decode("checks"), failed: try row.decode("failed"))
        }
    }

    public func claimChecks(
        limit: Int, lease: Duration, except stopped: Set<AppleClientKey>, activeSince: Instant, nextCheck: Instant,
        at now: Instant
    ) async throws -> [AppleGrant] {
        let stopped = Array(stopped)
        return try await rows(
            """
            WITH due AS MATERIALIZED (
                SELECT id FROM apple_grant WHERE state = 'AUTHORIZED' AND due_at <= \(Timestamp(now))
                    AND (project_id, client_id) NOT IN (
                        SELECT * FROM unnest(\(stopped.map(\.realm.rawValue)), \(stopped.map(\.clientID))))
                ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED),
            used AS MATERIALIZED (
                SELECT g.id, EXISTS (
                    SELECT FROM linked_identity l
                    JOIN session s ON s.account_id = l.account_id AND s.project_id = l.project_id
                    WHERE l.project_id = g.project_id AND l.provider = 'apple.com' AND l.subject = g.subject
                        AND s.refreshed_at > \(Timestamp(activeSince))) AS is_active
                FROM due JOIN apple_grant g USING (id)),
            claimed AS (
                UPDATE apple_grant g SET due_at = CASE WHEN used.is_active THEN \(Timestamp(now + lease))
                    ELSE \(Timestamp(nextCheck)) END
                FROM used WHERE g.id = used.id RETURNING \(AppleGrant.columns), used.is_active)
            SELECT * FROM claimed WHERE is_active
            """
        ).map { try AppleGrant($0) }
    }

    public func record(
        _ checks: [ID<AppleGrant>: RecordedCheck], nextCheck: Instant, at now: Instant
    ) async throws {
        guard !checks.isEmpty else { return }
        let ordered = checks.map { (id: $0.key.rawValue, check: $0.value) }
        try await run(
            .record(
                ordered.map(\.id), ordered.map(\.check.state), ordered.map(\.check.failure), nextCheck: nextCheck,
                at: now))
    }

    public func forgetForeignKeys() async throws {
        try await run(.forgetForeignKeys)
        try await run(.markTransferred)
    }
}

extension SQL {
    /// Locks the identities first, like a deletion. An identity with another authorized grant stays authorized. The
    /// identities of the grants differ, because all belong to one client ID.
    ///
    /// - Parameter states: `nil` leaves the state as it is.
    fileprivate static func record(
        _ ids: [String], _ states: [String?], _ failures: [String?], nextCheck: Instant, at now: Instant
    ) -> SQL {
        """
        WITH results AS MATERIALIZED (
            SELECT r.id::uuid AS id, r.state, r.failure
            FROM unnest(\(ids), \(states), \(failures)) AS r (id, state, failure)),
        locked AS MATERIALIZED (
            SELECT r.id, r.state, r.failure, l.project_id, l.subject FROM results r JOIN apple_grant g ON g.id = r.id
            JOIN linked_identity l ON l.project_id = g.project_id AND l.subject = g.subject
            WHERE l.provider = 'apple.com' ORDER BY l.project_id, l.subject FOR NO KEY UPDATE OF l),
        checked AS (
            UPDATE apple_grant g SET state = coalesce(locked.state, g.state), checked_at = \(Timestamp(now)),
                failure = locked.failure, due_at = \(Timestamp(nextCheck)),
                token = CASE locked.state WHEN 'REVOKED' THEN NULL ELSE g.token END
            FROM locked WHERE g.id = locked.id AND g.state = 'AUTHORIZED'
            RETURNING g.id, locked.state, locked.project_id, locked.subject)
        UPDATE linked_identity l SET credential_state = c.state, credential_checked_at = \(Timestamp(now))
        FROM checked c WHERE l.project_id = c.project_id AND l.provider = 'apple.com' AND l.subject = c.subject
            AND (c.state = 'AUTHORIZED' OR c.state = 'REVOKED' AND NOT EXISTS (
                SELECT FROM apple_grant o WHERE o.project_id = c.project_id AND o.subject = c.subject
                    AND o.id <> c.id AND o.state = 'AUTHORIZED'))
        """
    }

    /// A provider whose settings are gone counts as changed too.
    fileprivate static var forgetForeignKeys: SQL {
        """
        WITH foreign_grants AS MATERIALIZED (
            SELECT g.id, l.project_id, l.subject FROM apple_grant g
            JOIN linked_identity l ON l.project_id = g.project_id AND l.subject = g.subject
            LEFT JOIN identity_provider p ON p.project_id = g.project_id AND p.provider = 'apple.com'
            WHERE g.state = 'AUTHORIZED' AND l.provider = 'apple.com' AND (
                g.team_id IS DISTINCT FROM p.settings #>> '{apple,teamId}'
                OR g.key_id IS DISTINCT FROM p.settings #>> '{apple,keyId}')
            FOR NO KEY UPDATE OF l),
        updated AS (
            UPDATE apple_grant g SET state = 'UNKNOWN' FROM foreign_grants f
            WHERE g.id = f.id AND g.state = 'AUTHORIZED' RETURNING f.project_id, f.subject)
        UPDATE linked_identity l SET credential_state = 'UNKNOWN' FROM updated u
        WHERE l.project_id = u.project_id AND l.provider = 'apple.com' AND l.subject = u.subject
            AND l.credential_state = 'AUTHORIZED'
        """
    }

    /// Of identities whose app has moved to the team that is configured now.
    fileprivate static var markTransferred: SQL {
        """
        UPDATE linked_identity l SET credential_state = 'TRANSFERRED',
            credential_checked_at = coalesce(l.credential_checked_at, l.created_at)
        FROM identity_provider p
        WHERE l.transfer_sub IS NOT NULL AND l.transferred_at IS NULL AND l.provider = 'apple.com'
            AND p.project_id = l.project_id AND p.provider = 'apple.com'
            AND p.settings #>> '{apple,teamId}' = l.transfer_team
            AND coalesce(l.credential_state, '') NOT IN ('REVOKED', 'TRANSFERRED')
        """
    }
}

extension AppleClientKey {
    fileprivate init(_ row: Row) throws {
        self.init(realm: ID(try row.decode("project_id")), clientID: try row.decode("client_id"))
    }
}

extension RecordedCheck {
    /// The state that follows for the grant; `nil` if it stays.
    fileprivate var state: String? {
        switch self {
        case .authorized: AppleGrant.State.authorized.rawValue
        case .revoked: AppleGrant.State.revoked.rawValue
        case .failed: nil
        }
    }

    fileprivate var failure: String? {
        switch self {
        case .authorized: nil
        case .revoked(let failure), .failed(let failure): failure
        }
    }
}
