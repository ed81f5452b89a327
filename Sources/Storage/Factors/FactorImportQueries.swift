internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// Inserts the factors of imported accounts, and their number in the accounts' rows.
    static func insertFactors(of accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        let factors = accounts.flatMap { stored in stored.factors.map { (account: stored.account.id, new: $0) } }
        return """
            WITH inserted AS (
                INSERT INTO second_factor
                    (realm_id, account_id, owner_id, id, kind, phone_number, display_name, enrolled_at, secret,
                        last_step)
                SELECT \(realm.rawValue), f.account, f.account, f.id, f.kind, f.phone_number, f.name,
                    \(timestamptz(microseconds: "f.enrolled_at")), decode(f.secret, 'hex'), f.step
                FROM unnest(\(factors.map(\.account.rawValue)), \(factors.map(\.new.factor.id.rawValue)),
                    \(factors.map(\.new.factor.kind.rawValue)),
                    \(factors.map { $0.new.factor.phoneNumber?.rawValue }), \(factors.map(\.new.factor.displayName)),
                    \(factors.map(\.new.factor.enrolledAt.microseconds)),
                    \(factors.map { $0.new.totp.map { Hexadecimal.encode($0.sealedSecret) } }),
                    \(factors.map { $0.new.totp?.lastStep }))
                    AS f (account, id, kind, phone_number, name, enrolled_at, secret, step)
                RETURNING account_id)
            UPDATE account a SET factor_count = (SELECT count(*) FROM inserted i WHERE i.account_id = a.id)
            WHERE a.realm_id = \(realm.rawValue) AND a.id = ANY (\(factors.map(\.account.rawValue)))
            """
    }
}
