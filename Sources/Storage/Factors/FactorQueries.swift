internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// Selects a one-time password, and the database's time.
    ///
    /// - Parameter lead: how far the time of the request is ahead of the machine's clock.
    static func totp(_ factor: ID<Factor>, of account: ID<Account>, ahead lead: Duration, in realm: ID<Realm>) -> SQL {
        """
        SELECT secret, failures, \(now(ahead: lead)) AS read_at FROM second_factor
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id = \(factor.rawValue)
            AND kind = 'totp' AND merged_from IS NULL
        """
    }

    /// PostgreSQL's time at the start of the statement, plus a duration.
    static func now(ahead lead: Duration) -> SQL {
        "statement_timestamp() + \(lead.microseconds) * interval '1 microsecond'"
    }

    static func countFailure(of factor: ID<Factor>, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE second_factor SET failures = failures + 1
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id = \(factor.rawValue)
            AND merged_from IS NULL
        RETURNING failures
        """
    }

    /// Uses up a one-time password: passwords of its step and of earlier ones are rejected from now on. Changes no row
    /// if such a password was used before.
    static func consume(
        step: Int64, of factor: ID<Factor>, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE second_factor SET last_step = \(step), failures = 0, last_used_at = \(Timestamp(now))
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id = \(factor.rawValue)
            AND merged_from IS NULL AND last_step < \(step)
        """
    }

    /// Uses up a recovery code. Changes no row if the account does not have the code.
    static func consume(recoveryCode hash: [UInt8], of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM recovery_code
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND hash = \(hash)
        """
    }

    /// Inserts the key of a single-use value, unless it was used before.
    static func consume(ifUnused key: ReplayKey, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO replay_guard (realm_id, hash, expires_at)
        VALUES (\(realm.project.rawValue), \(key.hash), \(Timestamp(key.expiresAt))) ON CONFLICT DO NOTHING
        """
    }

    /// Records the use of a telephone number. Changes no row if the account does not have the factor with this number.
    static func use(
        _ factor: ID<Factor>, number: PhoneNumber, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE second_factor SET last_used_at = \(Timestamp(now))
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id = \(factor.rawValue)
            AND phone_number = \(number.rawValue) AND merged_from IS NULL
        """
    }

    /// Inserts a telephone number, unless the account has it.
    static func insert(_ factor: Factor, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO second_factor (realm_id, account_id, owner_id, id, kind, phone_number, display_name, enrolled_at)
        VALUES (\(realm.rawValue), \(account.rawValue), \(account.rawValue), \(factor.id.rawValue),
            \(factor.kind.rawValue), \(factor.phoneNumber?.rawValue), \(factor.displayName),
            \(Timestamp(factor.enrolledAt)))
        ON CONFLICT DO NOTHING
        """
    }

    /// Inserts a one-time password, unless the account has one.
    static func insert(_ totp: NewTOTP, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO second_factor
            (realm_id, account_id, owner_id, id, kind, display_name, enrolled_at, secret, last_step)
        VALUES (\(realm.rawValue), \(account.rawValue), \(account.rawValue), \(totp.factor.id.rawValue),
            \(totp.factor.kind.rawValue), \(totp.factor.displayName), \(Timestamp(totp.factor.enrolledAt)),
            \(totp.sealedSecret), \(totp.lastStep))
        ON CONFLICT DO NOTHING
        """
    }

    static func withdraw(_ factor: ID<Factor>, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM second_factor
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id = \(factor.rawValue)
            AND merged_from IS NULL
        """
    }

    /// Deletes factors of an account, except those of accounts that were merged into it.
    ///
    /// - Parameter since: `nil` for all of them.
    /// - Returns: rows with the `id` and the `kind` of the deleted factors.
    static func removeFactors(of account: ID<Account>, enrolledSince since: Instant?, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM second_factor WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND merged_from IS NULL AND enrolled_at >= coalesce(\(since.map { Timestamp($0) }), '-infinity')
        RETURNING id, kind
        """
    }

    /// Deletes the factors of an account except `kept`, and except those of accounts that were merged into it.
    ///
    /// - Returns: rows with the `id` and the `kind` of the deleted factors.
    static func removeFactors(of account: ID<Account>, except kept: [ID<Factor>], in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM second_factor WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND merged_from IS NULL AND id <> ALL (\(kept.map(\.rawValue)))
        RETURNING id, kind
        """
    }

    /// Removes the ID of a factor from the sessions that were opened with it, so that they no longer count as sessions
    /// with a second factor.
    static func forget(_ factor: ID<Factor>, ofSessionsOf account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE session SET second_factor_id = NULL
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND second_factor_id = \(factor.rawValue)
        """
    }

    /// Changes the name of a factor, if there is a new one. Changes no row if the account does not have the factor.
    static func rename(_ factor: KeptFactor, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE second_factor SET display_name = coalesce(\(factor.displayName), display_name)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id = \(factor.id.rawValue)
            AND merged_from IS NULL
        """
    }

    /// Deletes the recovery codes of an account if they were created since `since`, or if the account has no factor.
    ///
    /// - Parameter since: `nil` deletes all of them.
    static func removeRecoveryCodes(of account: ID<Account>, createdSince since: Instant?, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM recovery_code r WHERE r.realm_id = \(realm.rawValue) AND r.account_id = \(account.rawValue)
            AND (r.created_at >= coalesce(\(since.map { Timestamp($0) }), '-infinity') OR NOT EXISTS (
                SELECT FROM second_factor f WHERE f.realm_id = r.realm_id AND f.account_id = r.account_id
                    AND f.merged_from IS NULL))
        """
    }

    static func insertRecoveryCodes(
        _ hashes: [[UInt8]], of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        INSERT INTO recovery_code (realm_id, account_id, hash, created_at)
        SELECT \(realm.rawValue), \(account.rawValue), decode(h, 'hex'), \(Timestamp(now))
        FROM unnest(\(hashes.map { Hexadecimal.encode($0) })) h
        """
    }

    /// Stores the number of the account's factors in the account's row, which the transaction has locked.
    static func countFactors(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE account a SET factor_count = (SELECT count(*) FROM second_factor f
            WHERE f.realm_id = a.realm_id AND f.account_id = a.id AND f.merged_from IS NULL)
        WHERE a.realm_id = \(realm.rawValue) AND a.id = \(account.rawValue)
        """
    }

    /// Assigns the factors of a merge's source to its target, where they are not demanded: its own ones, and those of
    /// accounts that were merged into it earlier.
    static func moveFactors(from source: ID<Account>, to target: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE second_factor SET account_id = \(target.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(source.rawValue)
        """
    }

    /// Deletes the factors of an earlier account that had the ID of a merge's source, and was merged too. The record of
    /// the new merge replaces the one by which these factors would have returned.
    static func deleteFactors(ofEarlierSource source: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM second_factor WHERE realm_id = \(realm.rawValue) AND merged_from = \(source.rawValue)
        """
    }

    /// Returns the factors of a merge's source, which has been restored.
    static func returnFactors(to source: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE second_factor SET account_id = \(source.rawValue)
        WHERE realm_id = \(realm.rawValue) AND merged_from = \(source.rawValue)
        """
    }
}
