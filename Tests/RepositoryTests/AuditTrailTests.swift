import Testing

@Suite("Audit trail")
struct AuditTrailTests {
    @Test(
        "The audit trail is append-only: one statement inserts or counts a repetition, and one deletes by age")
    func statements() throws {
        /// The statements that change the table, by file.
        var statements: [String: [String]] = [:]
        for file in try Repository.files(in: "Sources", ending: ".swift") {
            let text = try Repository.text(file)
            guard text.contains("audit_event") else { continue }
            for label in ["from", "table"] {
                #expect(
                    !text.contains("\(label): \"audit_event\""), "\(file) builds a statement that this test cannot see")
            }
            for match in text.matches(
                of:
                    #/(?i)(insert\s+into|update|delete\s+from|truncate(?:\s+table)?|alter\s+table|copy)\s+(?:only\s+)?audit_event\b/#
            ) {
                statements[file, default: []].append(
                    String(match.output.1).uppercased().split(separator: " ").joined(separator: " "))
            }
        }
        #expect(
            statements == [
                "Sources/Storage/Audit/AuditStore.swift": ["INSERT INTO"],
                "Sources/Storage/Maintenance/JanitorQueries.swift": ["DELETE FROM"],
            ])
        let store = try Repository.text("Sources/Storage/Audit/AuditStore.swift")
        #expect(
            store.matches(of: #/(?i)DO UPDATE SET/#).count == 1
                && store.contains("ON CONFLICT (id) DO UPDATE SET detail = audit_event.detail ||"),
            "an insertion changes something else than the details of a repeated action")
        let janitor = try Repository.text("Sources/Storage/Maintenance/JanitorQueries.swift")
        #expect(janitor.contains("occurred_at <"), "the janitor does not delete events by age")
    }
}
