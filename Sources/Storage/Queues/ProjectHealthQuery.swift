public import Identity
public import Postgres

/// Reads what the database knows about the health of a project.
public struct ProjectHealthQuery: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func facts(of project: ID<Project>) async throws -> ProjectHealthFacts {
        let statement = Self.statement(project)
        let row = try await withStoreErrors { try await pool.query(statement) }[0]
        func queue(_ name: String) throws -> ProjectHealthFacts.Queue {
            ProjectHealthFacts.Queue(
                waiting: try row.decode("\(name)_waiting"), givenUp: try row.decode("\(name)_given_up"),
                oldest: try row.decode("\(name)_oldest", as: Timestamp?.self).map { Instant($0) })
        }
        return ProjectHealthFacts(
            queues: [
                .emails: try queue("email"), .textMessages: try queue("sms"), .appleRevocations: try queue("apple"),
                .eventDeliveries: try queue("event"),
            ], unknownAppleTokens: try row.decode("unknown_tokens"), disabledEndpoints: try row.decode("disabled"),
            failingEndpoints: try row.decode("failing"),
            signingSince: try row.decode("signing_since", as: Timestamp?.self).map { Instant($0) })
    }

    /// Each subquery reads a limited number of rows by an index.
    private static func statement(_ project: ID<Project>) -> SQL {
        let isOfProject: SQL = "\(SQL.projectOfRow) = \(project.rawValue)"
        let limit: SQL = "LIMIT \(ProjectHealthFacts.countLimit)"
        return """
            SELECT e.waiting AS email_waiting, e.given_up AS email_given_up, e.oldest AS email_oldest,
                s.waiting AS sms_waiting, s.given_up AS sms_given_up, s.oldest AS sms_oldest,
                a.waiting AS apple_waiting, 0::bigint AS apple_given_up, a.oldest AS apple_oldest,
                d.waiting AS event_waiting, 0::bigint AS event_given_up, d.oldest AS event_oldest,
                u.count AS unknown_tokens, p.disabled, p.failing, k.signing_since
            FROM (
                SELECT count(*) FILTER (WHERE failed_at IS NULL) AS waiting,
                    count(*) FILTER (WHERE failed_at IS NOT NULL) AS given_up,
                    min(created_at) FILTER (WHERE failed_at IS NULL) AS oldest
                FROM (SELECT failed_at, created_at FROM outgoing_email WHERE \(isOfProject)
                    ORDER BY created_at DESC, id \(limit)) newest) e,
            (
                SELECT count(*) FILTER (WHERE failed_at IS NULL) AS waiting,
                    count(*) FILTER (WHERE failed_at IS NOT NULL) AS given_up,
                    min(created_at) FILTER (WHERE failed_at IS NULL) AS oldest
                FROM (SELECT failed_at, created_at FROM outgoing_sms WHERE \(isOfProject)
                    ORDER BY created_at DESC, id \(limit)) newest) s,
            (
                SELECT count(*) AS waiting, min(created_at) AS oldest
                FROM (SELECT created_at FROM apple_grant
                    WHERE \(isOfProject) AND state = 'REVOKING' AND token_type <> 'CODE'
                    ORDER BY created_at DESC, id \(limit)) newest) a,
            (
                SELECT count(*) AS waiting, min(e.created_at) AS oldest
                FROM (SELECT project_id, sequence FROM event_delivery
                    WHERE project_id = \(project.rawValue) AND state = 'pending'
                    ORDER BY endpoint_id, due_at, sequence \(limit)) d
                JOIN account_event e ON e.project_id = d.project_id AND e.sequence = d.sequence) d,
            (
                SELECT count(*) AS count FROM (
                    SELECT FROM apple_grant WHERE \(isOfProject) AND state = 'UNKNOWN' \(limit)) unknown) u,
            (
                SELECT count(*) FILTER (WHERE disabled_at IS NOT NULL) AS disabled,
                    count(*) FILTER (WHERE disabled_at IS NULL AND failures > 0) AS failing
                FROM event_endpoint WHERE project_id = \(project.rawValue)) p,
            (
                SELECT max(greatest(signs_from, created_at)) FILTER (WHERE signs_from <= now()) AS signing_since
                FROM signing_key WHERE project_id = \(project.rawValue) AND purpose = 'id-token') k
            """
    }
}
