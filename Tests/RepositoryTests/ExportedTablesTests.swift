import Testing

/// The export of an account contains every table of the schema that has rows about accounts, or this file says why not.
@Suite("Tables in the export of an account")
struct ExportedTablesTests {
    private enum Treatment {
        /// The member of the schema `ExportAccountOutput`.
        case exported(String)
        case omitted(because: String)
    }

    private static let treatments: [String: Treatment] = [
        "account": .exported("user"),
        "account_event": .omitted(because: "copies of audit events, for the servers of the operator"),
        "account_merge": .exported("merges"),
        "administrator": .omitted(
            because: "roles of the people who run the gateway, which `listAdministrators` returns"),
        "app_transaction": .exported("appTransactions"),
        "apple_grant": .exported("appleAuthorizations"),
        "audit_event": .exported("activity"),
        "known_network": .exported("knownNetworks"),
        "linked_identity": .exported("identities"),
        "oob_code": .omitted(
            because: "hashes of codes; an address may be that of an earlier mailbox, which is another person's"),
        "outbox": .omitted(because: "copies of audit events that are not numbered yet"),
        "outgoing_email": .exported("emails"),
        "outgoing_sms": .exported("textMessages"),
        "passkey": .exported("user"),
        "phone_code": .omitted(because: "hashes of codes that expire in minutes; the number is in `user`"),
        "recovery_code": .exported("user"),
        "second_factor": .exported("user"),
        "sign_in_code": .omitted(because: "hashes of codes that expire in a minute; their sessions are in `sessions`"),
        "session": .exported("sessions"),
    ]

    @Test("Every table with rows about accounts is exported, or has a reason")
    func tables() throws {
        let schema = try Repository.text("Deploy/schema.sql")
        let accountColumn = #/\n    (account_id|source_id|target_id|owner_id|subject) /#
        var found: Set<String> = ["account"]
        for table in schema.matches(of: #/CREATE TABLE public\.(\w+) \((.*?)\n\)/#.dotMatchesNewlines())
        where table.output.2.contains(accountColumn) {
            found.insert(String(table.output.1))
        }
        #expect(found.count > 10)
        #expect(found == Set(Self.treatments.keys))
    }

    @Test("Every list of the export comes from a table, and exists in the contract")
    func members() throws {
        let contract = try Repository.text("openapi.yaml")
        let schema = try #require(
            contract.firstMatch(
                of: #/\n    ExportAccountOutput:\n(?:      .*\n)*?      properties:\n((?:        .*\n)+)/#))
        let members = Set(
            schema.output.1.split(separator: "\n").filter { $0.hasPrefix("        ") && !$0.hasPrefix("         ") }
                .map { String($0.dropFirst(8).dropLast()) })
        let exported = Set(
            Self.treatments.values.compactMap { treatment in
                if case .exported(let member) = treatment { member } else { nil }
            })
        #expect(members.subtracting(exported) == ["exportedAt", "truncated"])
        #expect(exported.subtracting(members) == [])
    }
}
