internal import Encoding
internal import Identity
internal import Postgres

extension Transaction {
    /// Finds those of `accounts` with the credential ID or the user handle of another account's passkey, either of a
    /// stored account of any realm or of an earlier one of `accounts`. Until the transaction ends, no other import
    /// stores passkeys of the same RP ID: no constraint rejects the user handle of another account.
    func accountsWithTakenPasskeys(
        among accounts: [StoredAccount], in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        let passkeys = accounts.flatMap(\.passkeys).map(\.passkey)
        guard !passkeys.isEmpty else { return [:] }
        _ = try await execute(.lockImport(ofPasskeysFor: passkeys.map(\.rpID)))
        var owners: [PasskeyValue: PasskeyOwner] = [:]
        for row in try await query(.owners(of: passkeys)) { owners[try PasskeyValue(row)] = try PasskeyOwner(row) }
        var conflicting: [ID<Account>: UniqueMember] = [:]
        for stored in accounts {
            let owner = PasskeyOwner(realm: realm, account: stored.account.id)
            let values = stored.passkeys.flatMap { PasskeyValue.all(of: $0.passkey) }
            if let taken = values.first(where: { owners[$0, default: owner] != owner }) {
                conflicting[owner.account] = taken.member
                continue
            }
            for value in values { owners[value] = owner }
        }
        return conflicting
    }
}

extension SQL {
    /// Takes an advisory lock on each RP ID, in one order, so that imports do not deadlock.
    fileprivate static func lockImport(ofPasskeysFor rpIDs: [String]) -> SQL {
        """
        SELECT pg_advisory_xact_lock(hashtext('imported passkeys'), w.key)
        FROM (SELECT DISTINCT hashtext(id) AS key FROM unnest(\(rpIDs)) AS r (id) ORDER BY 1) w
        """
    }
}

/// A value of a passkey that no passkey of another account has under the same RP ID.
private struct PasskeyValue: Hashable {
    let member: UniqueMember
    let rpID: String
    let value: ByteText

    static func all(of passkey: Passkey) -> [PasskeyValue] {
        [
            PasskeyValue(member: .passkey, rpID: passkey.rpID, value: ByteText(passkey.id.rawValue)),
            PasskeyValue(member: .userHandle, rpID: passkey.rpID, value: ByteText(passkey.userHandle)),
        ]
    }
}

extension PasskeyValue {
    /// - Parameter row: a row of ``SQL/owners(of:)``.
    init(_ row: Row) throws {
        member = try row.decode("member", as: String.self) == "id" ? .passkey : .userHandle
        rpID = try row.decode("rp_id")
        value = ByteText(try row.decode("value", as: String.self))
    }
}

private struct PasskeyOwner: Hashable {
    let realm: ID<Realm>
    let account: ID<Account>
}

extension PasskeyOwner {
    init(_ row: Row) throws {
        realm = ID(try row.decode("realm_id"))
        account = ID(try row.decode("account_id"))
    }
}
