internal import Identity
internal import Postgres

/// The columns of an ``OOBCode`` in a table with the alias `c`, and their decoding.
enum OOBCodeRow {
    static let columns: SQL = """
        c.hash AS code_hash, c.realm_id AS code_realm_id, c.purpose AS code_purpose, c.account_id AS code_account_id, \
        c.generation AS code_generation, c.email AS code_email, c.new_email AS code_new_email, \
        c.provider AS code_provider, c.subject AS code_subject, c.added_at AS code_added_at, \
        c.source_id AS code_source_id, c.created_at AS code_created_at, c.expires_at AS code_expires_at
        """

    static func code(_ row: Row) throws -> OOBCode {
        let name = try row.decode("code_purpose", as: String.self)
        guard let purpose = OOBCode.Purpose(rawValue: name) else {
            throw InvalidOOBCodeRow(problem: "unknown purpose \"\(name)\"")
        }
        let email = try email(row, "code_email")
        return OOBCode(
            hash: try row.decode("code_hash"), purpose: purpose,
            account: try row.decode("code_account_id", as: String?.self).map { ID($0) },
            generation: try row.decode("code_generation"), email: email,
            newEmail: try row.decode("code_new_email", as: String?.self).flatMap(EmailAddress.init),
            method: try method(row),
            source: try row.decode("code_source_id", as: String?.self).map { ID($0) },
            createdAt: Instant(try row.decode("code_created_at")),
            expiresAt: Instant(try row.decode("code_expires_at")))
    }

    static func email(_ row: Row, _ column: String) throws -> EmailAddress {
        guard let email = EmailAddress(try row.decode(column)) else {
            throw InvalidOOBCodeRow(problem: "the email address is invalid")
        }
        return email
    }

    private static func method(_ row: Row) throws -> AddedSignInMethod? {
        guard let provider = try row.decode("code_provider", as: String?.self) else { return nil }
        return AddedSignInMethod(
            provider: ProviderID(provider), subject: try row.decode("code_subject"),
            addedAt: Instant(try row.decode("code_added_at")))
    }
}

/// The database contains an email action code that this release cannot read. The error names neither the code, which is
/// a secret, nor the address.
struct InvalidOOBCodeRow: Error, CustomStringConvertible {
    let problem: String

    var description: String { "a row of table oob_code: \(problem)" }
}

extension SQL {
    /// Selects a code with its account. The account of a sign-in code is the account that has the address now. The
    /// account's columns are NULL if there is no account.
    static func findCode(_ hash: [UInt8], at now: Instant, in realm: ID<Realm>?) -> SQL {
        let inRealm: SQL = realm.map { "AND c.realm_id = \($0.rawValue)" } ?? ""
        return """
            SELECT a.id IS NOT NULL AS has_account, (\(lastEarlierRemedy(at: now))) AS earlier_remedies_expire_at,
                \(OOBCodeRow.columns), \(AccountRow.columns)
            FROM oob_code c LEFT JOIN account a ON a.realm_id = c.realm_id AND a.id =
                CASE WHEN c.purpose <> \(OOBCode.Purpose.signIn.rawValue) THEN c.account_id
                ELSE (SELECT h.id FROM account h WHERE h.realm_id = c.realm_id AND h.email = c.email) END
            WHERE c.hash = \(hash) \(inRealm)
            """
    }

    /// Selects when the last remedy of an ``EarlierMailbox`` of the account `a` expires; NULL if there is none.
    static func lastEarlierRemedy(at now: Instant) -> SQL {
        let remedies: SQL = """
            FROM oob_code r WHERE r.realm_id = a.realm_id AND r.account_id = a.id \
            AND r.purpose = ANY (\(OOBCode.Purpose.accountRemedies))
            """
        return """
            SELECT max(r.expires_at) \(remedies) AND r.email <> a.email AND r.expires_at > \(Timestamp(now))
                AND r.created_at < coalesce(
                    (SELECT min(r.created_at) \(remedies) AND r.email = a.email), 'infinity')
            """
    }

    /// Deletes the code, unless it has expired. The second of two concurrent redemptions waits for the first, and then
    /// finds no code.
    static func redeem(_ code: OOBCode, at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code
        WHERE hash = \(code.hash) AND realm_id = \(realm.rawValue) AND expires_at > \(Timestamp(now))
        """
    }

    /// Inserts a code. With a `session`, inserts the code only if the session is active and its account is enabled.
    static func issue(_ code: OOBCode, by session: Session?, in realm: ID<Realm>) throws -> SQL {
        guard let session else { return insert(code, in: realm, forEachRowOf: .singleRow) }
        return insert(
            code, in: realm,
            forEachRowOf: """
                account a WHERE a.realm_id = \(realm.rawValue) AND \(try isActive(session)) AND a.disabled_at IS NULL
                """)
    }

    /// Deletes those codes of an account that `remedies` describes; see ``MailboxChange/VoidedRemedies``.
    static func voidRemedies(
        _ remedies: MailboxChange.VoidedRemedies, of account: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        let all: SQL = """
            c.realm_id = \(realm.rawValue) AND c.account_id = \(account.rawValue) \
            AND c.purpose = ANY (\(OOBCode.Purpose.accountRemedies))
            """
        let email = remedies.email.rawValue
        return """
            DELETE FROM oob_code c WHERE \(all)
                AND c.created_at >= (
                    SELECT least(\(remedies.redeemedCodeCreatedAt.map { Timestamp($0) }), min(c.created_at)) FROM oob_code c
                    WHERE \(all) AND c.email = \(email))
                AND (c.email <> \(email) OR c.added_at IS NULL
                    OR c.added_at >= \(Timestamp(remedies.methodsKeptBefore)))
                AND NOT (\(remedies.keepsFactorRemedies) AND c.email = \(email)
                    AND c.purpose = \(OOBCode.Purpose.revertFactorAddition.rawValue))
                AND NOT (c.email = \(email) AND c.purpose = \(OOBCode.Purpose.removeSignInMethod.rawValue)
                    AND c.provider = ANY (\(remedies.keptProviders.map(\.rawValue))))
            """
    }
}

extension OOBCode.Purpose {
    /// The purposes of remedies, except `undoMerge`: codes that undo a merge are for the owner of the merge's source.
    fileprivate static let accountRemedies = [recoverEmail.rawValue] + additionRemedies

    /// The purposes of codes that remove what was added to an account.
    static let additionRemedies = [removeSignInMethod, revertFactorAddition].map(\.rawValue)
}
