internal import Crypto
internal import Email
internal import Gateway
internal import Identity
internal import SMTP
internal import Synchronization

/// The mail of `dev`: written by the same postman as everybody's, and kept here instead of sent. `serve` has no way to
/// reach this.
final class CapturedEmails: Sendable {
    struct Captured: Sendable {
        let message: Message
        let kind: OutgoingEmail.Kind
        let realm: ID<Realm>
    }

    /// How many mails and how many codes are remembered.
    static let limit = 1000

    private struct State {
        var mails: [Captured] = []
        var codes: [String] = []
        /// Of letters, by their codes.
        var contents: [String: EmailPayload] = [:]
    }

    private let state = Mutex(State())

    /// As many as were kept, the oldest first.
    var mails: [Captured] { state.withLock { $0.mails } }

    func mail(_ id: String) -> Captured? { mails.first { $0.message.id == id } }

    /// Every code that was made by this process, by its hash in hexadecimal.
    var codes: [String: String] {
        let codes = state.withLock { $0.codes }
        return Dictionary(
            codes.map { (Hexadecimal.text(Digest.sha256(Array($0.utf8))), $0) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// What the letter of a code said beside it; empty if there was none.
    func content(of code: String) -> EmailPayload { state.withLock { $0.contents[code] } ?? EmailPayload() }

    func keep(_ message: Message, _ queued: QueuedEmail) -> DeliveryResult {
        state.withLock { state in
            state.mails.removeAll { $0.message.id == message.id }
            state.mails.append(Captured(message: message, kind: queued.letter.kind, realm: queued.realm))
            if state.mails.count > Self.limit { state.mails.removeFirst() }
        }
        return .accepted
    }

    /// The same, remembering the codes, and with links that do at once what they are for.
    func watching(_ outOfBand: OutOfBand) -> OutOfBand {
        var watched = outOfBand
        watched.newCode = { [self] in
            let code = outOfBand.newCode()
            state.withLock { state in
                state.codes.append(code)
                if state.codes.count > Self.limit { state.contents[state.codes.removeFirst()] = nil }
            }
            return code
        }
        watched.seal = { [self] content, letter in
            let codes = [content.code].compactMap(\.self) + (content.removals ?? []).map(\.code)
            state.withLock { state in for code in codes { state.contents[code] = content } }
            return try outOfBand.seal(content, letter)
        }
        watched.actionBase = { project, mode in
            let base = outOfBand.actionBase(project, mode)
            guard project.mail.actionURL == nil else { return base }
            return base.dropLast(EmailSettings.actionPath.count) + Self.actionPath
        }
        return watched
    }
}

extension EmailService {
    /// Keeps what it is given.
    static func captured(by mail: CapturedEmails, sender: EmailAddress, dependencies: Dependencies) -> EmailService {
        let renderer = EmailRenderer(sender: sender) { [publicURL = dependencies.publicURL] _, mode in
            publicURL() + (mode.needsOwnPage ? EmailSettings.actionPath : CapturedEmails.actionPath)
        }
        return EmailService(renderer, dependencies: dependencies) { message, queued, _ in mail.keep(message, queued) }
    }
}

extension CapturedEmails {
    /// Where the links of `dev` lead, as those of Firebase's emulator do.
    static let actionPath = "/emulator/action"
}
