import Email
import EventLoop
import Identity
import SMTP
import Synchronization
import Testing

@Suite("The postman", .timeLimit(.minutes(1)))
struct EmailWorkerTests {
    static let now = Instant(seconds: 1_800_000_000)

    /// A queue in memory, and what became of its letters.
    final class Fixture: EmailQueue {
        struct State {
            var due: [QueuedEmail] = []
            var standing: Set<[UInt8]> = [Array("code".utf8)]
            var holders: Set<EmailAddress> = []
            var done: [String] = []
            var sent: [Message] = []
            var outcomes: [DeliveryOutcome] = []
            var isDown = false
        }

        let state = Mutex(State())

        func claim(limit: Int, lease: Duration, at now: Instant) async throws -> [QueuedEmail] {
            state.withLock { state in
                defer { state.due.removeFirst(min(limit, state.due.count)) }
                return Array(state.due.prefix(limit))
            }
        }

        func bind(_ code: [UInt8], of letter: QueuedEmail) async throws -> Bool {
            state.withLock { $0.holders.contains(letter.letter.recipient) }
        }

        func stands(_ code: [UInt8]) async throws -> Bool { state.withLock { $0.standing.contains(code) } }

        func remove(_ letter: ID<OutgoingEmail>) async throws {
            try state.withLock { state in
                if state.isDown { throw StoreUnavailable(reason: "down") }
                state.done.append("remove")
            }
        }

        func postpone(_ letter: ID<OutgoingEmail>, until due: Instant, failure: String) async throws {
            state.withLock { $0.done.append("postpone \((due - EmailWorkerTests.now).components.seconds) \(failure)") }
        }

        func giveUp(_ letter: ID<OutgoingEmail>, failure: String, at now: Instant) async throws {
            state.withLock { $0.done.append("give up \(failure)") }
        }
    }

    struct Damaged: Error {}

    static func queued(
        _ kind: OutgoingEmail.Kind = .verifyEmail, account: ID<Account>? = ID("ada"), attempts: Int = 1,
        project: String = "demo", content: String = "code"
    ) throws -> QueuedEmail {
        QueuedEmail(
            letter: OutgoingEmail(
                id: ID("0b0e7c1a-1111-4222-8333-444455556666"), kind: kind, account: account,
                recipient: try #require(EmailAddress("ada@example.org")), language: nil, content: Array(content.utf8),
                createdAt: now, expiresAt: now + .seconds(3600)),
            realm: ID(project), attempts: attempts)
    }

    /// Delivers what is due, and gives what became of it.
    static func deliver(
        _ letters: [QueuedEmail], verdict: DeliveryResult = .accepted,
        _ prepare: (inout Fixture.State) -> Void = { _ in }
    ) async throws -> Fixture.State {
        let desk = Fixture()
        desk.state.withLock { state in
            state.due = letters
            prepare(&state)
        }
        let sender = try #require(EmailAddress("no-reply@example.com"))
        let loop = try Loop(name: "postman")
        defer { loop.stop() }
        let postman = EmailWorker(
            loop: loop,
            with: EmailWorker.Dependencies(
                queue: desk,
                open: { sealed, _ in
                    guard sealed != Array("damaged".utf8) else { throw Damaged() }
                    return EmailPayload(code: sealed.isEmpty ? nil : String(decoding: sealed, as: UTF8.self))
                }, hash: { Array($0.utf8) },
                project: { $0 == ID("demo") ? EmailRendererTests.project() : nil },
                renderer: EmailRenderer(sender: sender) { _, _ in "https://auth.example/act" },
                send: { message, _, _ in
                    desk.state.withLock { $0.sent.append(message) }
                    return verdict
                }, report: { _, outcome in desk.state.withLock { $0.outcomes.append(outcome) } },
                clock: .fixed(at: now), chance: { 0.5 }))
        await postman.deliverDue()
        await postman.stop()
        return desk.state.withLock { $0 }
    }

    @Test("forgets a letter once the server has taken it")
    func sent() async throws {
        let state = try await Self.deliver([Self.queued()])
        #expect(state.done == ["remove"])
        #expect(state.sent.map(\.to) == ["ada@example.org"])
        #expect(state.outcomes == [.sent])
    }

    @Test("sends more letters than it has hands")
    func many() async throws {
        let state = try await Self.deliver((0..<50).map { _ in try Self.queued() })
        #expect(state.sent.count == 50)
        #expect(state.done.count == 50)
    }

    @Test("sends no code that is void")
    func void() async throws {
        let state = try await Self.deliver([Self.queued()]) { $0.standing = [] }
        #expect(state.done == ["remove"])
        #expect(state.sent.isEmpty)
        #expect(state.outcomes == [.dropped])
    }

    @Test("sends the notice of a merge even if its link is void")
    func voidLink() async throws {
        let state = try await Self.deliver([Self.queued(.accountsMerged)]) { $0.standing = [] }
        #expect(state.outcomes == [.sent])
    }

    @Test("sends a reset that was asked for by address only to an account's address", arguments: [true, false])
    func reset(isHeld: Bool) async throws {
        let state = try await Self.deliver([Self.queued(.resetPassword, account: nil)]) {
            $0.standing = []
            $0.holders = isHeld ? Set([EmailAddress("ada@example.org")].compactMap(\.self)) : []
        }
        #expect(state.sent.count == (isHeld ? 1 : 0))
        #expect(state.done == ["remove"])
    }

    @Test("binds no code a second time")
    func boundBefore() async throws {
        let state = try await Self.deliver([Self.queued(.resetPassword)]) {
            $0.standing = []
            $0.holders = Set([EmailAddress("ada@example.org")].compactMap(\.self))
        }
        #expect(state.sent.isEmpty)
    }

    @Test(
        "waits longer each time, and no longer than the letter is of use",
        arguments: [
            (1, "postpone 30 451 to RCPT"), (3, "postpone 120 451 to RCPT"), (7, "postpone 1920 451 to RCPT"),
            (8, "give up 451 to RCPT"),
        ])
    func patience(attempts: Int, done: String) async throws {
        let state = try await Self.deliver(
            [Self.queued(attempts: attempts)], verdict: .refusedForNow(.answered(status: 451, to: .recipient)))
        #expect(state.done == [done])
    }

    @Test("leaves what it was stopped at to others, at once")
    func stopped() async throws {
        let state = try await Self.deliver([Self.queued()], verdict: .refusedForNow(.closed))
        #expect(state.done == ["postpone 0 stopped"])
    }

    @Test("gives up what is refused for good")
    func refused() async throws {
        let obstacle = DeliveryError.answered(status: 550, to: .recipient)
        let state = try await Self.deliver([Self.queued()], verdict: .refusedForGood(obstacle))
        #expect(state.done == ["give up 550 to RCPT"])
        #expect(state.outcomes == [.givenUp(.obstacle(obstacle))])
    }

    @Test(
        "gives up what cannot be written",
        arguments: [
            ("gone", "code", "give up no such project"), ("demo", "damaged", "give up the letter cannot be opened"),
            ("demo", "", "give up the letter has no code"),
        ])
    func unwritable(project: String, content: String, done: String) async throws {
        let state = try await Self.deliver([Self.queued(project: project, content: content)])
        #expect(state.done == [done])
        #expect(state.sent.isEmpty)
    }

    @Test("leaves a letter whose end it could not write down to the end of its lease")
    func interrupted() async throws {
        let state = try await Self.deliver([Self.queued()]) { $0.isDown = true }
        #expect(state.outcomes == [.interrupted])
        #expect(state.done.isEmpty)
    }
}
