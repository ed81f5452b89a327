internal import Email
internal import Identity
internal import Telemetry

/// What is logged and counted of mail: ids, kinds and what the server said, never an address.
struct EmailDeliveryRecord: Sendable {
    private let log: Log
    private let letters: Counter

    init(log: Log, metrics: Metrics) {
        self.log = log
        letters = metrics.counter(
            "sekisho_mail_total", help: "Tries to send a letter.",
            labels: [
                MetricLabel("outcome", ["sent", "dropped", "postponed", "given_up", "interrupted"]),
                MetricLabel("kind", OutgoingEmail.Kind.allCases.map(\.rawValue)),
            ])
    }

    func note(_ queued: QueuedEmail, _ outcome: DeliveryOutcome) {
        let kind = queued.letter.kind.rawValue
        var fields: LogFields = [
            "letter": .string(queued.letter.id.rawValue), "kind": .string(kind),
            "project": .string(queued.realm.rawValue), "attempts": .int(queued.attempts),
        ]
        switch outcome {
        case .sent:
            letters.increment("sent", kind)
            log.info("mail sent", fields)
        case .dropped:
            letters.increment("dropped", kind)
            log.info("mail dropped", fields)
        case .postponed(let due, let failure):
            letters.increment("postponed", kind)
            fields.add("failure", .string("\(failure)"))
            fields.add("due", .string(due.iso8601))
            log.warning("mail postponed", fields)
        case .givenUp(let failure):
            letters.increment("given_up", kind)
            fields.add("failure", .string("\(failure)"))
            log.error("mail given up", fields)
        case .interrupted:
            letters.increment("interrupted", kind)
            log.warning("mail interrupted", fields)
        }
    }
}
