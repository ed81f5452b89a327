internal import FoundationEssentials
public import Identity
internal import Postgres

/// The daily checks of grants. A check asks Apple whether the stored refresh token of a grant is still authorized.
extension PostgresAppleGrantStore {
    public func checkCounts(since start: Instant) async throws -> [AppleClientReference: CheckCounts] {
        try await rows(
            """
            SELECT realm_id, client_id, count(*) AS checks, count(failure) AS failed FROM apple_grant
            WHERE checked_at > \(Timestamp(start)) GROUP BY realm_id, client_id
            """
        ).reduce(into: [:]) { counts, row in
            counts[try AppleClientReference(row)] = CheckCounts(
                all: try row.decode("checks"), failed: try row.decode("failed"))
        }
    }

    public func claimChecks(
        of client: AppleClientReference, limit: Int, lease: Duration, postponingInactiveSince activityStart: Instant,
        until nextCheck: Instant, at now: Instant
    ) async throws -> [AppleGrant] {
        try await rows(
            .claimChecks(
                of: client, limit: limit, leaseEnd: now + lease, postponingInactiveSince: activityStart,
                until: nextCheck, at: now)
        ).map { try AppleGrant($0) }
    }

    public func record(
        _ checks: [ID<AppleGrant>: RecordedCheck], nextCheck: Instant, at now: Instant
    ) async throws {
        guard !checks.isEmpty else { return }
        let entries = checks.map { (id: $0.key.rawValue, check: $0.value) }
        try await run(
            .record(
                entries.map(\.id), entries.map(\.check.state), entries.map(\.check.failure), nextCheck: nextCheck,
                at: now))
    }

    public func markGrantsOfFormerTeamOrKey() async throws {
        for row in try await rows(.formerTeamsAndKeys) {
            let (realm, team, key) = (
                try row.decode("realm_id", as: String.self), try row.decode("team_id", as: String.self),
                try row.decode("key_id", as: String.self)
            )
            let batch = SQL.markGrantsAsUnknown(of: realm, team: team, key: key, limit: Self.batchSize)
            while try await withStoreErrors({ try await pool.query(batch) }).count == Self.batchSize {}
        }
        for row in try await rows(.transfersToConfiguredTeam) {
            let (realm, team) = (
                try row.decode("realm_id", as: String.self), try row.decode("transfer_team", as: String.self)
            )
            var last: String? = ""
            while let start = last {
                let batch = SQL.markTransferred(of: realm, to: team, after: start, limit: Self.batchSize)
                last = try await rows(batch).first?.decode("page_end")
            }
        }
    }

    /// The maximum number of grants or identities that one statement marks.
    private static var batchSize: Int { 500 }
}

extension SQL {
    /// Records the results of checks, and the resulting credential states of the identities. If Apple reports that a
    /// grant is revoked, but the identity has another authorized grant, the identity's state stays. Locks the
    /// identities before the grants, as a deletion does.
    ///
    /// - Parameters:
    ///   - ids: grants of one client ID, so that no two of them have the same identity.
    ///   - states: the new state of each grant; `nil` keeps its state.
    ///   - failures: the error of each check; `nil` if Apple reported that the token is authorized.
    fileprivate static func record(
        _ ids: [String], _ states: [String?], _ failures: [String?], nextCheck: Instant, at now: Instant
    ) -> SQL {
        """
        WITH results AS MATERIALIZED (
            SELECT r.id::uuid AS id, r.state, r.failure
            FROM unnest(\(ids), \(states), \(failures)) AS r (id, state, failure)),
        locked AS MATERIALIZED (
            SELECT r.id, r.state, r.failure, l.realm_id, l.subject FROM results r JOIN apple_grant g ON g.id = r.id
            JOIN linked_identity l ON l.realm_id = g.realm_id AND l.subject = g.subject
            WHERE l.provider = 'apple.com' ORDER BY l.realm_id, l.subject FOR NO KEY UPDATE OF l),
        checked AS (
            UPDATE apple_grant g SET state = coalesce(locked.state, g.state), checked_at = \(Timestamp(now)),
                failure = locked.failure, due_at = \(Timestamp(nextCheck))
            FROM locked WHERE g.id = locked.id AND g.state = 'AUTHORIZED'
            RETURNING g.id, locked.state, locked.realm_id, locked.subject)
        UPDATE linked_identity l SET credential_state = c.state, credential_checked_at = \(Timestamp(now))
        FROM checked c WHERE l.realm_id = c.realm_id AND l.provider = 'apple.com' AND l.subject = c.subject
            AND (c.state = 'AUTHORIZED' OR c.state = 'REVOKED' AND NOT EXISTS (
                SELECT FROM apple_grant o WHERE o.realm_id = c.realm_id AND o.subject = c.subject
                    AND o.id <> c.id AND o.state = 'AUTHORIZED'))
        """
    }

    /// Claims due grants until `leaseEnd`. If no session of a grant's account has been refreshed since `activityStart`,
    /// the grant is not claimed: its next check is postponed to `nextCheck`.
    static func claimChecks(
        of client: AppleClientReference, limit: Int, leaseEnd: Instant, postponingInactiveSince activityStart: Instant,
        until nextCheck: Instant, at now: Instant
    ) -> SQL {
        """
        WITH due AS MATERIALIZED (
            SELECT id FROM apple_grant WHERE state = 'AUTHORIZED' AND realm_id = \(client.realm.rawValue)
                AND client_id = \(client.clientID) AND due_at <= \(Timestamp(now))
            ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED),
        used AS MATERIALIZED (
            SELECT g.id, EXISTS (
                SELECT FROM linked_identity l
                JOIN session s ON s.account_id = l.account_id AND s.realm_id = l.realm_id
                WHERE l.realm_id = g.realm_id AND l.provider = 'apple.com' AND l.subject = g.subject
                    AND s.refreshed_at > \(Timestamp(activityStart))) AS is_active
            FROM due JOIN apple_grant g USING (id)),
        claimed AS (
            UPDATE apple_grant g SET due_at = CASE WHEN used.is_active THEN \(Timestamp(leaseEnd))
                ELSE \(Timestamp(nextCheck)) END
            FROM used WHERE g.id = used.id RETURNING \(AppleGrant.columns), used.is_active)
        SELECT * FROM claimed WHERE is_active
        """
    }

    /// Selects the combinations of realm, team and key that authorized grants have, if the realm now has another team
    /// or key configured, or none. The recursion reads one index entry for each combination, instead of all grants.
    static var formerTeamsAndKeys: SQL {
        """
        WITH RECURSIVE used AS (
            (SELECT realm_id, team_id, key_id FROM apple_grant WHERE state = 'AUTHORIZED'
                ORDER BY realm_id, team_id, key_id LIMIT 1)
            UNION ALL
            SELECT next.* FROM used u, LATERAL (
                SELECT g.realm_id, g.team_id, g.key_id FROM apple_grant g
                WHERE g.state = 'AUTHORIZED' AND (g.realm_id, g.team_id, g.key_id) > (u.realm_id, u.team_id, u.key_id)
                ORDER BY g.realm_id, g.team_id, g.key_id LIMIT 1) next)
        SELECT u.realm_id, u.team_id, u.key_id FROM used u
        LEFT JOIN identity_provider p ON p.realm_id = u.realm_id AND p.provider = 'apple.com'
        WHERE u.team_id IS DISTINCT FROM p.settings #>> '{apple,teamId}'
            OR u.key_id IS DISTINCT FROM p.settings #>> '{apple,keyId}'
        """
    }

    /// Marks up to `limit` grants of a former team or key, and their identities, as unknown. Locks the identities
    /// before the grants, as a deletion does, in the order of subjects. Skips identities that another transaction has
    /// locked.
    static func markGrantsAsUnknown(of realm: String, team: String, key: String, limit: Int) -> SQL {
        """
        WITH outdated AS MATERIALIZED (
            SELECT id, subject FROM apple_grant
            WHERE state = 'AUTHORIZED' AND realm_id = \(realm) AND team_id = \(team) AND key_id = \(key)
            ORDER BY realm_id, team_id, key_id, id LIMIT \(limit)),
        locked AS MATERIALIZED (
            SELECT l.subject FROM linked_identity l
            WHERE l.realm_id = \(realm) AND l.provider = 'apple.com'
                AND l.subject = ANY (ARRAY(SELECT o.subject FROM outdated o))
            ORDER BY l.subject FOR NO KEY UPDATE SKIP LOCKED),
        updated AS (
            UPDATE apple_grant g SET state = 'UNKNOWN' FROM outdated o JOIN locked USING (subject)
            WHERE g.id = o.id AND g.state = 'AUTHORIZED' RETURNING g.subject),
        marked AS (
            UPDATE linked_identity l SET credential_state = 'UNKNOWN' FROM (SELECT DISTINCT subject FROM updated) u
            WHERE l.realm_id = \(realm) AND l.provider = 'apple.com' AND l.subject = u.subject
                AND l.credential_state = 'AUTHORIZED')
        SELECT subject FROM updated
        """
    }

    /// Selects the realms that have identities which were exported for a transfer to the team that is configured now.
    /// Each row also has the team. The recursion reads one index entry for each combination of realm and team, instead
    /// of all identities.
    static var transfersToConfiguredTeam: SQL {
        """
        WITH RECURSIVE waiting AS (
            (SELECT realm_id, transfer_team FROM linked_identity l WHERE \(isUnmarked)
                ORDER BY realm_id, transfer_team LIMIT 1)
            UNION ALL
            SELECT next.* FROM waiting w, LATERAL (
                SELECT l.realm_id, l.transfer_team FROM linked_identity l
                WHERE \(isUnmarked) AND (l.realm_id, l.transfer_team) > (w.realm_id, w.transfer_team)
                ORDER BY l.realm_id, l.transfer_team LIMIT 1) next)
        SELECT w.realm_id, w.transfer_team FROM waiting w
        JOIN identity_provider p ON p.realm_id = w.realm_id AND p.provider = 'apple.com'
        WHERE p.settings #>> '{apple,teamId}' = w.transfer_team
        """
    }

    /// Marks up to `limit` identities whose app has moved to `team` as transferred, in the order of subjects. Skips
    /// identities that another transaction has locked.
    ///
    /// - Parameter last: the subject after which to begin.
    /// - Returns: a row with the last subject that was read; no row if none was read.
    static func markTransferred(of realm: String, to team: String, after last: String, limit: Int) -> SQL {
        """
        WITH page AS MATERIALIZED (
            SELECT l.subject FROM linked_identity l
            WHERE \(isUnmarked) AND l.realm_id = \(realm) AND l.transfer_team = \(team) AND l.subject > \(last)
            ORDER BY l.subject LIMIT \(limit)),
        locked AS MATERIALIZED (
            SELECT l.subject FROM linked_identity l
            WHERE l.realm_id = \(realm) AND l.provider = 'apple.com' AND \(isUnmarked)
                AND l.subject = ANY (ARRAY(SELECT p.subject FROM page p))
            ORDER BY l.subject FOR NO KEY UPDATE SKIP LOCKED),
        marked AS (
            UPDATE linked_identity l SET credential_state = 'TRANSFERRED',
                credential_checked_at = coalesce(l.credential_checked_at, l.created_at)
            FROM locked
            WHERE l.realm_id = \(realm) AND l.provider = 'apple.com' AND l.subject = locked.subject)
        SELECT max(subject) AS page_end FROM page HAVING count(*) > 0
        """
    }

    /// A condition: the identity `l` waits to move to another team, and is not marked as transferred yet. The condition
    /// is the predicate of the index `linked_identity_unmarked_transfer`.
    private static var isUnmarked: SQL {
        """
        l.transfer_sub IS NOT NULL AND l.transferred_at IS NULL AND l.provider = 'apple.com' \
        AND (l.credential_state IS NULL OR l.credential_state IN ('AUTHORIZED', 'UNKNOWN'))
        """
    }
}

extension AppleClientReference {
    init(_ row: Row) throws {
        self.init(realm: ID(try row.decode("realm_id")), clientID: try row.decode("client_id"))
    }
}

extension RecordedCheck {
    /// The new state of the grant; `nil` if the state is unchanged.
    fileprivate var state: String? {
        switch self {
        case .authorized: AppleGrant.State.authorized.rawValue
        case .revoked: AppleGrant.State.revoked.rawValue
        case .failed: nil
        }
    }

    /// The error that Apple or the connection to Apple reported.
    fileprivate var failure: String? {
        switch self {
        case .authorized: nil
        case .revoked(let failure), .failed(let failure): failure
        }
    }
}
