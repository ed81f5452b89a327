internal import Gateway
internal import Identity
internal import JSON

/// A file that `sekisho audit export` has written: one JSON object in each line.
struct ExportedAuditEvents {
    private let file: UserFile
    private let path: String

    /// - Parameter path: `-` stands for standard input.
    init(path: String) throws(Failure) {
        file = try UserFile(reading: path)
        self.path = path
    }

    /// Returns all events in the order of their times.
    ///
    /// - Throws: ``Failure``, which names the first invalid line.
    func events() throws -> [AuditEvent] {
        var events: [AuditEvent] = []
        var (rest, number) = ([UInt8](), 0)
        while true {
            let chunk = try file.read()
            rest += chunk
            var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = chunk.isEmpty ? [] : Array(lines.removeLast())
            for line in lines {
                number += 1
                if !line.isEmpty { events.append(try event(Array(line), inLine: number)) }
            }
            if chunk.isEmpty { return events.sorted { $0.occurredAt < $1.occurredAt } }
        }
    }

    private func event(_ line: [UInt8], inLine number: Int) throws(Failure) -> AuditEvent {
        guard let event = try? StrictJSON.decode(ExportedEvent.self, from: line),
            let occurredAt = Instant(iso8601: event.occurredAt)
        else { throw Failure(message: "\(path), line \(number): expected an event of `sekisho audit export`") }
        return AuditEvent(
            id: event.eventId, note: AuditNote(event.action, event.subject, event.detail.members), actor: event.actor,
            trace: .none, occurredAt: occurredAt)
    }
}

/// The members of an exported event that a repair needs.
private struct ExportedEvent: Decodable {
    struct Detail: Decodable {
        let members: [String: String]

        enum CodingKeys: String, CodingKey, CaseIterable {
            case provider, sessionId, fields, method, target, repeated, lastOccurredAt, administratorRole
            case credentialId, factorId
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            members = try CodingKeys.allCases.reduce(into: [:]) { members, key in
                members[key.rawValue] = try container.decodeIfPresent(String.self, forKey: key)
            }
        }
    }

    let eventId: String
    let occurredAt: String
    let actor: String
    let action: String
    let subject: String
    let detail: Detail
}
