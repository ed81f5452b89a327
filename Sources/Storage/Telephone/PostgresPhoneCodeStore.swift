internal import FoundationEssentials
public import Identity
public import Postgres

/// ``PhoneCodeStore`` on PostgreSQL.
public struct PostgresPhoneCodeStore: PhoneCodeStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func issue(_ code: PhoneCode, sending message: OutgoingSMS?, within budget: SMSBudget?) async throws {
        let issuing = try SQL.issue(code, sending: message)
        guard let budget else {
            _ = try await withStoreErrors { try await pool.execute(issuing) }
            return
        }
        guard budget.perDay > 0 else { throw SMSQuota.projectBudget }
        guard budget.perCallingCode > 0 else { throw SMSQuota.callingCodeBudget }
        try await withStoreErrors {
            try await pool.transaction { transaction in
                // The row of the project is locked until the commit, so that replicas count one after the other.
                guard try await transaction.execute(.countSMS("", limit: budget.perDay, of: code)) == 1 else {
                    throw SMSQuota.projectBudget
                }
                let counting = SQL.countSMS(code.callingCode, limit: budget.perCallingCode, of: code)
                guard try await transaction.execute(counting) == 1 else { throw SMSQuota.callingCodeBudget }
                guard try await transaction.query(.paused(code)).isEmpty else { throw SMSQuota.paused }
                _ = try await transaction.execute(issuing)
            }
        }
    }

    public func countAttempt(
        _ hash: [UInt8], for purpose: PhoneCode.Purpose, at now: Instant, in realm: ID<Realm>
    ) async throws -> PhoneCodeAttempt {
        let rows = try await withStoreErrors {
            try await pool.query(.countAttempt(hash, for: purpose, at: now, in: realm))
        }
        guard let row = rows.first else { return .unknown }
        guard Instant(try row.decode("expires_at")) > now else { return .expired }
        guard try row.decode("is_counted", as: Bool.self) else { return .exhausted }
        guard let number = PhoneNumber(try row.decode("phone_number")) else { return .unknown }
        let account = try row.decode("account_id", as: String?.self).map {
            PhoneCode.AccountBinding(
                account: ID($0), generation: try row.decode("generation"),
                factor: try row.decode("factor_id", as: String?.self).map { ID($0) })
        }
        return .counted(
            AttemptedCode(
                binding: PhoneCode.Binding(
                    hash: hash, realm: realm, purpose: purpose, number: number, account: account),
                codeHash: try row.decode("code_hash")))
    }
}

extension Transaction {
    /// Uses up the proof of a telephone number.
    ///
    /// - Throws: ``StoreConflict/alreadyUsed``.
    func consume(_ consumed: PhoneProof.Consumed, at now: Instant, in realm: ID<Realm>) async throws {
        let confirming: SQL =
            switch consumed {
            case .code(let hash): .confirm(hash, unexpiredAt: now, at: now, in: realm)
            // A proof is valid longer than its code, and its own end was checked.
            case .temporaryProof(let hash, _, _): .confirm(hash, unexpiredAt: nil, at: now, in: realm)
            }
        guard try await !query(confirming).isEmpty else { throw StoreConflict.alreadyUsed }
    }
}

extension SQL {
    /// Inserts a code, and enqueues its message.
    fileprivate static func issue(_ code: PhoneCode, sending message: OutgoingSMS?) throws -> SQL {
        let binding = code.binding
        let insertion: SQL = """
            INSERT INTO phone_code (realm_id, hash, project_id, purpose, phone_number, calling_code, account_id,
                generation, factor_id, code_hash, is_sent, created_at, expires_at)
            VALUES (\(binding.realm.rawValue), \(binding.hash), \(code.project.rawValue), \(binding.purpose.rawValue),
                \(binding.number.rawValue), \(code.callingCode), \(binding.account?.account.rawValue),
                \(binding.account?.generation), \(binding.account?.factor?.rawValue), \(code.codeHash),
                \(message != nil), \(Timestamp(code.createdAt)), \(Timestamp(code.expiresAt)))
            """
        guard let message else { return insertion }
        return """
            WITH inserted AS (\(insertion) RETURNING 1)
            INSERT INTO outgoing_sms (realm_id, id, account_id, content, is_idempotent, created_at, due_at, expires_at)
            SELECT \(binding.realm.rawValue), \(try UUID(message.id)), \(message.account?.rawValue),
                \(message.content), \(message.isIdempotent), \(Timestamp(message.createdAt)),
                \(Timestamp(message.createdAt)), \(Timestamp(message.createdAt + OutgoingSMS.lifetime))
            FROM inserted
            """
    }

    /// Counts a message of the project's day. Changes no row if the limit is reached.
    ///
    /// - Parameter callingCode: empty for all messages of the project.
    fileprivate static func countSMS(_ callingCode: String, limit: Int, of code: PhoneCode) -> SQL {
        """
        INSERT INTO sms_usage AS u (realm_id, day, calling_code, sent)
        VALUES (\(code.project.rawValue), \(day(code.createdAt)), \(callingCode), 1)
        ON CONFLICT (realm_id, day, calling_code) DO UPDATE SET sent = u.sent + 1 WHERE u.sent < \(limit)
        """
    }

    /// The day of a time in UTC.
    private static func day(_ time: Instant) -> SQL { "(\(Timestamp(time))::timestamptz AT TIME ZONE 'UTC')::date" }

    /// Returns a row if too few of the last codes of the calling code were confirmed, and the last one was sent less
    /// than ``SMSBudget/pause`` ago. A code counts when it was confirmed or has expired. Codes as second factor and all
    /// others are counted apart, because strangers request the others.
    fileprivate static func paused(_ code: PhoneCode) -> SQL {
        let (now, count) = (Timestamp(code.createdAt), SMSBudget.outcomeCount)
        let isSecondFactor = code.binding.purpose == .secondFactor
        return """
            SELECT 1 AS one FROM (
                SELECT c.confirmed_at, c.created_at FROM phone_code c
                WHERE c.project_id = \(code.project.rawValue) AND c.calling_code = \(code.callingCode) AND c.is_sent
                    AND (c.purpose = 'MULTI_FACTOR_SIGN_IN') = \(isSecondFactor)
                    AND (c.confirmed_at IS NOT NULL OR c.expires_at <= \(now))
                ORDER BY c.created_at DESC LIMIT \(count)) c
            HAVING count(*) >= \(count) AND count(c.confirmed_at) < \(SMSBudget.confirmedShare) * count(*)
                AND max(c.created_at) > \(Timestamp(code.createdAt - SMSBudget.pause))
            """
    }

    /// Counts an attempt at an unused code, unless ``PhoneCode/attemptLimit`` were counted or the code has expired. One
    /// statement counts and reads, so that replicas together compare no more codes than the limit allows.
    fileprivate static func countAttempt(
        _ hash: [UInt8], for purpose: PhoneCode.Purpose, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH counted AS (
            UPDATE phone_code SET attempts = attempts + 1
            WHERE realm_id = \(realm.rawValue) AND hash = \(hash) AND purpose = \(purpose.rawValue)
                AND confirmed_at IS NULL AND attempts < \(PhoneCode.attemptLimit) AND expires_at > \(Timestamp(now))
            RETURNING hash)
        SELECT c.phone_number, c.account_id, c.generation, c.factor_id, c.code_hash, c.expires_at,
            EXISTS (SELECT FROM counted) AS is_counted
        FROM phone_code c
        WHERE c.realm_id = \(realm.rawValue) AND c.hash = \(hash) AND c.purpose = \(purpose.rawValue)
            AND c.confirmed_at IS NULL
        """
    }

    /// Marks a code as used, and counts it. Changes no row if the code was used, or has expired at `unexpired`. Locks
    /// the counters in the order in which ``countSMS(_:limit:of:)`` does, so that the two do not deadlock.
    static func confirm(
        _ hash: [UInt8], unexpiredAt unexpired: Instant?, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH confirmed AS (
            UPDATE phone_code SET confirmed_at = \(Timestamp(now))
            WHERE realm_id = \(realm.rawValue) AND hash = \(hash) AND confirmed_at IS NULL
                AND expires_at > coalesce(\(unexpired.map { Timestamp($0) }), '-infinity')
            RETURNING project_id, calling_code, created_at, is_sent),
        locked AS MATERIALIZED (
            SELECT u.realm_id, u.day, u.calling_code FROM confirmed c JOIN sms_usage u
                ON u.realm_id = c.project_id AND u.calling_code IN ('', c.calling_code)
                AND u.day = (c.created_at AT TIME ZONE 'UTC')::date
            WHERE c.is_sent ORDER BY u.calling_code FOR UPDATE OF u),
        counted AS (
            UPDATE sms_usage u SET confirmed = u.confirmed + 1 FROM locked l
            WHERE u.realm_id = l.realm_id AND u.day = l.day AND u.calling_code = l.calling_code)
        SELECT 1 AS one FROM confirmed
        """
    }
}

/// Finds the unused codes of `sekisho dev`, which knows the codes themselves, by the hashes of their sessions.
public struct PhoneCodeLookup: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns which of `hashes` belong to codes that are neither used nor expired.
    ///
    /// - Parameter hashes: SHA-256 of each session, in hexadecimal.
    public func usableCodes(_ hashes: [String], in realm: ID<Realm>, at now: Instant) async throws -> Set<String> {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT encode(hash, 'hex') AS hash FROM phone_code
                WHERE realm_id = \(realm.rawValue) AND hash IN (SELECT decode(h, 'hex') FROM unnest(\(hashes)) h)
                    AND confirmed_at IS NULL AND expires_at > \(Timestamp(now))
                """)
        }
        return Set(try rows.map { try $0.decode("hash") })
    }
}
