import HTTP
import Postgres
import Testing

/// Identities and merges of accounts. Administrators use the service key of ``withServiceKey()``.
extension TestGateway {
    /// Calls an operation with a service key.
    ///
    /// - Parameters:
    ///   - path: the part of the path after `/v1/projects/PROJECT`.
    ///   - bearer: the secret of a service key.
    func callProjectAsAdmin(
        _ method: HTTP.Method, _ path: String, _ body: JSON? = nil, query: [(name: String, value: String)] = [],
        in project: String = "demo", bearer: String = serviceKeySecret
    ) async throws -> Exchange {
        try await send(
            method, "/v1/projects/\(project)\(path)", body: try body?.bytes ?? [], query: query,
            headers: ["Authorization": "Bearer \(bearer)"])
    }

    func identities(of localId: String) async throws -> [JSON] {
        let answer = try await callProjectAsAdmin(.get, "/accounts/\(localId)/identities")
        guard case .array(let identities) = answer.json["identities"] else { return [] }
        return identities
    }

    func linkIdentity(_ body: JSON, to localId: String) async throws -> Exchange {
        try await callProjectAsAdmin(.post, "/accounts/\(localId)/identities", body)
    }

    func unlinkIdentity(
        _ provider: String, of localId: String, query: [(name: String, value: String)] = []
    ) async throws -> Exchange {
        try await callProjectAsAdmin(.delete, "/accounts/\(localId)/identities/\(provider)", query: query)
    }

    func moveIdentity(_ provider: String, of localId: String, _ body: JSON) async throws -> Exchange {
        try await callProjectAsAdmin(.post, "/accounts/\(localId)/identities/\(provider):move", body)
    }

    /// Creates an account as an administrator, and links identities to it.
    ///
    /// - Parameters:
    ///   - body: the input for the account, with `localId`.
    ///   - change: members that only an update accepts. They are set after the identities are linked.
    func makeAccount(_ body: JSON, identities: [JSON] = [], updating change: [String: JSON] = [:]) async throws {
        #expect(try await createAccountAsAdmin(body).outcome == "200")
        let id = try #require(body["localId"]?.string)
        for identity in identities { #expect(try await linkIdentity(identity, to: id).outcome == "200") }
        guard !change.isEmpty else { return }
        let update = change.merging(["localId": .string(id)]) { $1 }
        #expect(try await administerAccounts(":update", .object(update)).outcome == "200")
    }

    /// The events of identities and merges in the outbox and in the audit trail.
    func recordedEvents() async throws -> (outbox: [String], audit: [String]) {
        let outbox: SQL = """
            SELECT concat_ws(' ', kind, account_id, data ->> 'provider', data ->> 'source') AS line FROM outbox
            WHERE kind LIKE 'identity.%' OR kind LIKE 'account.merge%'
            """
        let audit: SQL = """
            SELECT concat_ws(' ', actor, action, subject, detail ->> 'provider', detail ->> 'source', detail ->> 'target')
                AS line
            FROM audit_event WHERE action LIKE 'identity.%' OR action LIKE 'account.merge%'
            """
        return (
            try await database.pool.query(outbox).map { try $0.decode("line", as: String.self) }.sorted(),
            try await database.pool.query(audit).map { try $0.decode("line", as: String.self) }.sorted()
        )
    }

    /// Every row of accounts, identities and tombstones (rows for deleted accounts). Omits the time of linking, and the
    /// columns that change when a user signs in or when sessions end.
    func accountsAsStored() async throws -> [String] {
        let statement: SQL = """
            SELECT (to_jsonb(a) - 'generation' - 'valid_since' - 'last_sign_in_at')::text AS line FROM account a
            UNION ALL SELECT (to_jsonb(l) - 'linked_at')::text FROM linked_identity l
            UNION ALL SELECT to_jsonb(d)::text FROM deleted_account d ORDER BY line
            """
        return try await database.pool.query(statement).map { try $0.decode("line") }
    }
}

extension TestGateway {
    /// Merges the account of `source` into the account that has the identity in `credential`. Makes a dry run first,
    /// and returns the response to the request that merges.
    func merge(_ source: Tokens, intoAccountOf credential: ProviderCredential) async throws -> Exchange {
        let pending = try #require(try await link(credential, to: source.idToken).pendingToken)
        let idToken = JSON.string(source.idToken)
        let preview = try await post(
            "/v1/accounts:merge", ["idToken": idToken, "dryRun": true, "pendingToken": .string(pending)])
        return try await post(
            "/v1/accounts:merge", ["idToken": idToken, "mergeToken": preview.json["mergeToken"] ?? .null])
    }
}
