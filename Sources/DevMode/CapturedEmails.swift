internal import Crypto
internal import Email
internal import Encoding
internal import Gateway
internal import Identity
internal import SMTP
internal import Synchronization

/// The emails of `dev`, which are stored in memory instead of being sent. `serve` cannot use this type.
final class CapturedEmails: Sendable {
    struct Captured: Sendable {
        let message: Message
        let kind: OutgoingEmail.Kind
        let realm: ID<Realm>
        let createdAt: Instant

        /// The URLs of the links. In the text of an email, each of them is a line of its own.
        var links: [String] {
            message.text.split(separator: "\n").map(String.init).filter { $0.starts(with: /https?:\/\//) }
        }
    }

    /// The maximum number of stored emails, and of stored email action codes. Beyond it, the oldest are removed.
    static let limit = 1000

    private struct State {
        var emails: [Captured] = []
        var codes: [String] = []
        /// Payloads by the codes that they contain.
        var payloads: [String: EmailPayload] = [:]
    }

    private let state = Mutex(State())

    /// The stored emails, oldest first.
    var all: [Captured] { state.withLock { $0.emails } }

    func email(withID id: String) -> Captured? { all.first { $0.message.id == id } }

    /// The stored email action codes by their SHA-256 hash in hexadecimal. Codes of earlier processes are not stored.
    var codesByHash: [String: String] {
        let codes = state.withLock { $0.codes }
        return Dictionary(
            codes.map { (Hexadecimal.encode(Digest.sha256(Array($0.utf8))), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the payload that contains `code`; an empty payload if no email contains the code.
    func payload(of code: String) -> EmailPayload { state.withLock { $0.payloads[code] } ?? EmailPayload() }

    /// Stores a message in place of its delivery.
    func capture(_ message: Message, _ queued: QueuedEmail) -> DeliveryResult {
        state.withLock { state in
            // A repeated delivery has the same message ID.
            state.emails.removeAll { $0.message.id == message.id }
            state.emails.append(
                Captured(
                    message: message, kind: queued.email.kind, realm: queued.realm, createdAt: queued.email.createdAt))
            if state.emails.count > Self.limit { state.emails.removeFirst() }
        }
        return .accepted
    }

    /// Returns a copy of `emailFactory`, which creates email action codes and encrypts payloads. The copy also stores
    /// both in this object. Unless a project has an action URL, the links that the API returns open the emulator's
    /// action endpoint, which redeems a code at once. As in Firebase's emulator, ``EmailFactory/restoresFirstAddress``
    /// is true.
    func capturing(_ emailFactory: EmailFactory) -> EmailFactory {
        var capturing = emailFactory
        capturing.restoresFirstAddress = true
        capturing.newCode = { [self] in
            let code = emailFactory.newCode()
            state.withLock { state in
                state.codes.append(code)
                if state.codes.count > Self.limit { state.payloads[state.codes.removeFirst()] = nil }
            }
            return code
        }
        capturing.seal = { [self] payload, id in
            let codes = [payload.code].compactMap(\.self) + (payload.removals ?? []).map(\.code)
            state.withLock { state in for code in codes { state.payloads[code] = payload } }
            return try emailFactory.seal(payload, id)
        }
        capturing.actionBase = { realm, mode in
            let base = emailFactory.actionBase(realm, mode)
            guard realm.project.emailSettings.actionURL == nil else { return base }
            // Without an action URL, the base ends with the path of the gateway's own page.
            return base.dropLast(EmailSettings.actionPath.count) + Self.actionPath
        }
        return capturing
    }
}

extension EmailService {
    /// Returns a service that captures emails instead of sending them. Their links open the pages of this gateway, even
    /// if a project has an action URL.
    static func capturing(in emails: CapturedEmails, sender: EmailAddress, dependencies: Dependencies) -> EmailService {
        let renderer = EmailRenderer(sender: sender) { [publicURL = dependencies.publicURL] _, _ in
            publicURL() + EmailSettings.actionPath
        }
        return EmailService(renderer, dependencies: dependencies) { message, queued, _ in
            emails.capture(message, queued)
        }
    }
}

extension CapturedEmails {
    /// The path of the emulator's action endpoint, the same as in Firebase's emulator.
    static let actionPath = "/emulator/action"
}
