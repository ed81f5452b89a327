internal import API
internal import Gateway
internal import Identity
internal import JSON
internal import Storage

extension Command {
    static let listAudit = Command(
        words: ["audit", "list"],
        help: """
            audit list                      show who did what in a project, the latest first

              --project ID     which project
              --tenant ID      which tenant of it, even if it has been deleted
              --subject ID     what was done to this account, app, provider, key or project
              --actor NAME     by whom: user, system, cli, emulator, or key:ID
              --action NAME    as account.deleted
              --since TIME     2026-01-31, or 2026-01-31T12:00:00Z
              --limit N        lines, 1 to 1000; 50 unless told
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(
            words, options: ["project", "tenant", "subject", "actor", "action", "since", "limit"])
        let (project, query) = try arguments.audit(limit: try arguments.number("limit", in: 1...1000) ?? 50)
        try Administration.run { administration in
            let events = try await AuditStore(pool: administration.pool).page(query, in: project)
            Terminal.table(
                [["TIME", "ACTOR", "ACTION", "SUBJECT", "NETWORK", "DETAIL"]]
                    + events.map { event in
                        let detail = event.note.detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                        return [
                            event.occurredAt.iso8601, event.actor, event.note.action, event.note.subject,
                            event.trace.network ?? "", detail.joined(separator: "; "),
                        ]
                    })
        }
    }

    static let exportAudit = Command(
        words: ["audit", "export"],
        help: """
            audit export                    print the audit trail of a project as lines of JSON, the earliest first

              --project ID     which project
              --tenant ID, --subject ID, --actor NAME, --action NAME, --since TIME   as of audit list
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "tenant", "subject", "actor", "action", "since"])
        let (project, query) = try arguments.audit(limit: 1000)
        try Administration.run { administration in
            let store = AuditStore(pool: administration.pool)
            var query = query
            query.isOldestFirst = true
            while true {
                let events = try await store.page(query, in: project)
                for event in events {
                    Terminal.writeLine(String(decoding: try StrictJSON.encode(AuditEventResource(event)), as: UTF8.self))
                }
                guard events.count == query.limit, let last = events.last else { return }
                query.place = AuditQuery.Place(behind: last)
            }
        }
    }
}

extension Arguments {
    fileprivate func audit(limit: Int) throws(UsageError) -> (ID<Realm>, AuditQuery) {
        try none()
        var query = AuditQuery(limit: limit)
        query.subject = value("subject")
        query.actor = value("actor")
        query.action = value("action")
        if let since = value("since") {
            guard let time = Instant(iso8601: since) else {
                throw UsageError(message: "--since takes a date, or a time in UTC as 2026-01-31T12:00:00Z")
            }
            query.since = time
        }
        return (try realm(), query)
    }
}
