internal import API
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let listAudit = Command(
        words: ["audit", "list"],
        summary: "List the audit events of a project, newest first",
        options: Option.auditFilters + [
            .number("limit", "N", in: 1...1000, "maximum number of events", default: "50"), .json,
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (realm, query) = try arguments.auditQuery(limit: try arguments.number("limit"))
        try Administration.run { administration in
            try await administration.requireProject(of: realm)
            let events = try await AuditStore(pool: administration.pool).page(query, in: realm)
            try Terminal.writeList(
                [["TIME", "ACTOR", "ACTION", "SUBJECT", "NETWORK", "DETAIL"]]
                    + events.map { event in
                        let detail = event.note.detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                        return [
                            event.occurredAt.iso8601, event.actor, event.note.action, event.note.subject,
                            event.trace.network ?? "", detail.joined(separator: "; "),
                        ]
                    }, arguments)
        }
    }

    static let exportAudit = Command(
        words: ["audit", "export"],
        summary: "Print the audit events of a project as JSON lines, oldest first",
        options: Option.auditFilters,
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (realm, query) = try arguments.auditQuery(limit: 1000)
        try Administration.run { administration in
            try await administration.requireProject(of: realm)
            let store = AuditStore(pool: administration.pool)
            var query = query
            query.isOldestFirst = true
            while true {
                let events = try await store.page(query, in: realm)
                for event in events {
                    try Terminal.writeJSON(AuditEventResource(event))
                }
                guard events.count == query.limit, let last = events.last else { return }
                query.cursor = last.position
            }
        }
    }
}

extension Option {
    fileprivate static let auditFilters: [Option] = [
        .project,
        .text("tenant", "ID", "tenant of the project; it may have been deleted", defaultNote: "the project itself"),
        .text("subject", "ID", "only events about this account, app, provider, key, tenant or project"),
        .text(
            "actor", "NAME",
            "only events caused by this actor: user, system (the gateway itself), cli (this program), emulator (requests to `dev`), key:ID (a service key) or administrator:ID (a person in the console)"
        ),
        .text("action", "NAME", "only events of this action, such as account.deleted"),
        .text(
            "since", "TIME", "only events at or after this date or UTC time: 2026-01-31 or 2026-01-31T12:00:00Z"),
        .text("until", "TIME", "only events before this date or UTC time"),
    ]
}

extension Arguments {
    /// Returns the realm of `--project` and `--tenant`, and a query with the other filters.
    fileprivate func auditQuery(limit: Int) throws(UsageError) -> (ID<Realm>, AuditQuery) {
        var query = AuditQuery(limit: limit)
        query.subject = optionalText("subject")
        query.actor = try auditActor()
        query.action = optionalText("action")
        query.since = try time("since")
        query.until = try time("until")
        return (try realm(), query)
    }

    private func auditActor() throws(UsageError) -> String? {
        guard let text = optionalText("actor") else { return nil }
        guard AuditActor.canHave(name: text) else {
            throw UsageError(
                message: "--actor: expected user, system, cli, emulator, key:ID or administrator:ID, got \"\(text)\"")
        }
        return text
    }

    private func time(_ name: String) throws(UsageError) -> Instant? {
        guard let text = optionalText(name) else { return nil }
        guard let time = Instant(iso8601: text) else {
            throw UsageError(
                message: "--\(name): expected a date or a UTC time such as 2026-01-31T12:00:00Z, got \"\(text)\"")
        }
        return time
    }
}

extension Administration {
    /// Checks that the project of `realm` exists or was deleted. The tenant need not exist, because the events of a
    /// deleted tenant can still be read.
    ///
    /// - Throws: ``Failure`` if the project never existed, or if its last audit event has expired.
    fileprivate func requireProject(of realm: ID<Realm>) async throws {
        guard try await projects.hasRow(of: realm.project) else {
            throw Failure(message: "project \(realm.project) does not exist")
        }
    }
}
