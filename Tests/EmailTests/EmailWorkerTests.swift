import Email
import EventLoop
import Identity
import SMTP
import Synchronization
import Testing

@Suite("Email worker", .timeLimit(.minutes(5)))
struct EmailWorkerTests {
    static let now = Instant(seconds: 1_800_000_000)

    /// A queue in memory.
    final class TestQueue: EmailQueue {
        struct State {
            var due: [QueuedEmail] = []
            /// Hashes of codes. In these tests, the hash of a code is the code itself.
            var storedCodes: Set<[UInt8]> = [Array("code".utf8)]
            /// Addresses that belong to an account.
            var accountAddresses: Set<EmailAddress> = []
            /// The calls of `remove`, `postpone` and `giveUp`, with the delay in seconds and the reason.
            var calls: [String] = []
            /// The messages that the worker sent.
            var sent: [Message] = []
            /// The outcomes that the worker reported.
            var outcomes: [DeliveryOutcome] = []
            /// Whether the database is unavailable, so that ``TestQueue/remove(_:)`` fails.
            var isDown = false
            /// Whether ``TestQueue/claim(limit:lease:at:)`` fails.
            var failsClaims = false
            /// The number of failures to claim emails that the worker reported.
            var reportedClaimFailures = 0
        }

        let state = Mutex(State())

        func claim(limit: Int, lease: Duration, at now: Instant) async throws -> [QueuedEmail] {
            try state.withLock { state in
                if state.failsClaims { throw StoreUnavailable(reason: "down") }
                defer { state.due.removeFirst(min(limit, state.due.count)) }
                return Array(state.due.prefix(limit))
            }
        }

        func storeResetCode(_ codeHash: [UInt8], of queued: QueuedEmail) async throws -> Bool {
            state.withLock { $0.accountAddresses.contains(queued.email.recipient) }
        }

        func isCodeStored(_ codeHash: [UInt8]) async throws -> Bool {
            state.withLock { $0.storedCodes.contains(codeHash) }
        }

        func signInMethods(of email: EmailAddress, in realm: ID<Realm>) async throws -> [ProviderID]? {
            state.withLock { $0.accountAddresses.contains(email) ? [ProviderID("google.com"), .password] : nil }
        }

        func remove(_ id: ID<OutgoingEmail>) async throws {
            try state.withLock { state in
                if state.isDown { throw StoreUnavailable(reason: "down") }
                state.calls.append("remove")
            }
        }

        func postpone(_ id: ID<OutgoingEmail>, until due: Instant, failure: String) async throws {
            state.withLock { $0.calls.append("postpone \((due - EmailWorkerTests.now).components.seconds) \(failure)") }
        }

        func giveUp(_ id: ID<OutgoingEmail>, failure: String, at now: Instant) async throws {
            state.withLock { $0.calls.append("give up \(failure)") }
        }
    }

    struct DamagedPayload: Error {}

    /// - Parameter content: the encrypted payload. In these tests, it is the code itself, or `damaged`.
    static func queued(
        _ kind: OutgoingEmail.Kind = .verifyEmail, account: ID<Account>? = ID("ada"), attempts: Int = 1,
        project: String = "demo", content: String = "code", relayIsStopped: Bool = false
    ) throws -> QueuedEmail {
        QueuedEmail(
            email: OutgoingEmail(
                id: ID("0b0e7c1a-1111-4222-8333-444455556666"), kind: kind, account: account,
                recipient: try #require(EmailAddress("ada@example.org")), language: nil, content: Array(content.utf8),
                createdAt: now, expiresAt: now + .seconds(3600)),
            realm: ID(project), attempts: attempts, relayIsStopped: relayIsStopped)
    }

    /// Delivers `emails` to a mail server that returns `result`, and returns the final state of the queue.
    static func deliver(
        _ emails: [QueuedEmail], result: DeliveryResult = .accepted,
        _ prepare: (inout TestQueue.State) -> Void = { _ in }
    ) async throws -> TestQueue.State {
        let queue = TestQueue()
        queue.state.withLock { state in
            state.due = emails
            prepare(&state)
        }
        let loop = try Loop(name: "worker")
        defer { loop.stop() }
        let worker = try worker(for: queue, on: loop, result: result)
        await worker.deliverDue()
        await worker.stop()
        return queue.state.withLock { $0 }
    }

    /// Returns a worker whose mail server returns `result`.
    static func worker(for queue: TestQueue, on loop: Loop, result: DeliveryResult = .accepted) throws -> EmailWorker {
        let sender = try #require(EmailAddress("no-reply@example.com"))
        return EmailWorker(
            loop: loop,
            dependencies: EmailWorker.Dependencies(
                queue: queue,
                decrypt: { content, _ in
                    guard content != Array("damaged".utf8) else { throw DamagedPayload() }
                    let code = content.isEmpty ? nil : String(decoding: content, as: UTF8.self)
                    let page = EmailPayload.Page(
                        link: "https://auth.example/page", code: "123456", keepsGuest: code == "guest")
                    return EmailPayload(code: code, page: code == "page" || code == "guest" ? page : nil)
                }, hash: { Array($0.utf8) },
                realm: { $0 == ID("demo") ? EmailRendererTests.realm() : nil },
                renderer: EmailRenderer(sender: sender) { _, _ in "https://auth.example/act" },
                send: { message, _, _ in
                    queue.state.withLock { $0.sent.append(message) }
                    return result
                }, report: { _, outcome in queue.state.withLock { $0.outcomes.append(outcome) } },
                reportClaimFailure: { _ in queue.state.withLock { $0.reportedClaimFailures += 1 } },
                clock: .fixed(at: now), chance: { 0.5 }))
    }

    @Test("An email is removed from the queue when the server has accepted it")
    func sent() async throws {
        let state = try await Self.deliver([Self.queued()])
        #expect(state.calls == ["remove"])
        #expect(state.sent.map(\.to) == ["ada@example.org"])
        #expect(state.outcomes == [.sent])
    }

    @Test("The email of a sign-up states how to sign in if an account has the address, and has no code then")
    func signUp() async throws {
        let address = try #require(EmailAddress("ada@example.org"))
        for isKnown in [false, true] {
            let state = try await Self.deliver([Self.queued(.signUpCode, account: nil, content: "page")]) { state in
                state.storedCodes = [Array("page".utf8)]
                if isKnown { state.accountAddresses = [address] }
            }
            let message = try #require(state.sent.first)
            let text = message.text
            #expect(text.contains("123456") == !isKnown)
            #expect(text.contains("https://auth.example/page") == !isKnown)
            #expect(text.contains("Ways to sign in to your account: Google, Password.") == isKnown)
        }
    }

    @Test("The email of a guest who keeps the account does not speak of a new account")
    func guest() async throws {
        for (content, begin) in [("page", "To create your account for"), ("guest", "To keep your account for")] {
            let state = try await Self.deliver([Self.queued(.signUpCode, account: nil, content: content)]) { state in
                state.storedCodes = [Array(content.utf8)]
            }
            #expect(state.sent.first?.text.contains(begin) == true)
        }
    }

    @Test("An email is given up without being sent if its relay address forwards no email")
    func relay() async throws {
        let state = try await Self.deliver([Self.queued(relayIsStopped: true)])
        #expect(state.calls == ["give up the relay address forwards no email"])
        #expect(state.sent.isEmpty)
        #expect(state.outcomes == [.givenUp(.relayStopped)])
    }

    /// `EmailWorker.capacity` is 8.
    @Test("More emails than can be in flight at once are all sent")
    func many() async throws {
        let state = try await Self.deliver((0..<50).map { _ in try Self.queued() })
        #expect(state.sent.count == 50)
        #expect(state.calls.count == 50)
    }

    @Test("An email whose code is no longer valid is not sent")
    func invalidCode() async throws {
        let state = try await Self.deliver([Self.queued()]) { $0.storedCodes = [] }
        #expect(state.calls == ["remove"])
        #expect(state.sent.isEmpty)
        #expect(state.outcomes == [.dropped])
    }

    @Test("The notice of a merge is sent even if its link is no longer valid")
    func invalidOptionalCode() async throws {
        let state = try await Self.deliver([Self.queued(.accountsMerged)]) { $0.storedCodes = [] }
        #expect(state.outcomes == [.sent])
    }

    @Test(
        "A password reset that was requested by address is sent only if an account has the address",
        arguments: [true, false])
    func reset(hasAccount: Bool) async throws {
        let state = try await Self.deliver([Self.queued(.resetPassword, account: nil)]) {
            $0.storedCodes = []
            $0.accountAddresses = hasAccount ? Set([EmailAddress("ada@example.org")].compactMap(\.self)) : []
        }
        #expect(state.sent.count == (hasAccount ? 1 : 0))
        #expect(state.calls == ["remove"])
    }

    @Test("A reset for a known account is not sent if its code is no longer valid, even if an account has the address")
    func knownAccount() async throws {
        let state = try await Self.deliver([Self.queued(.resetPassword)]) {
            $0.storedCodes = []
            $0.accountAddresses = Set([EmailAddress("ada@example.org")].compactMap(\.self))
        }
        #expect(state.sent.isEmpty)
    }

    /// The emails expire after 3600 s. The delay is 30 s × 2^(attempts − 1), but at most 3600 s. A chance of 0.5 means
    /// the factor 1.
    @Test(
        "The delay doubles with each attempt, and an email is given up if it would expire before the next attempt",
        arguments: [
            (1, "postpone 30 the mail server replied 451 to RCPT"),
            (3, "postpone 120 the mail server replied 451 to RCPT"),
            (7, "postpone 1920 the mail server replied 451 to RCPT"),
            (8, "give up the mail server replied 451 to RCPT"),
        ])
    func backoff(attempts: Int, call: String) async throws {
        let state = try await Self.deliver(
            [Self.queued(attempts: attempts)], result: .transient(.rejected(status: 451, to: .recipient)))
        #expect(state.calls == [call])
    }

    @Test("An email whose delivery ends because of a shutdown is postponed without delay")
    func shutdown() async throws {
        let state = try await Self.deliver([Self.queued()], result: .transient(.closed))
        #expect(state.calls == ["postpone 0 the delivery was stopped"])
    }

    @Test("An email that the server rejects permanently is given up")
    func rejected() async throws {
        let error = DeliveryError.rejected(status: 550, to: .recipient)
        let state = try await Self.deliver([Self.queued()], result: .permanent(error))
        #expect(state.calls == ["give up the mail server replied 550 to RCPT"])
        #expect(state.outcomes == [.givenUp(.smtp(error))])
    }

    @Test(
        "An email that cannot be rendered is given up",
        arguments: [
            ("gone", "code", "give up the project does not exist"),
            ("demo", "damaged", "give up the payload cannot be decrypted"),
            ("demo", "", "give up the payload has no code"),
        ])
    func unrenderable(project: String, content: String, call: String) async throws {
        let state = try await Self.deliver([Self.queued(project: project, content: content)])
        #expect(state.calls == [call])
        #expect(state.sent.isEmpty)
    }

    @Test("A sent email stays in the queue if the database is unavailable")
    func interrupted() async throws {
        let state = try await Self.deliver([Self.queued()]) { $0.isDown = true }
        #expect(state.outcomes == [.interrupted(cause: "the database is unavailable: down")])
        #expect(state.calls.isEmpty)
    }

    @Test("A failure to claim emails is reported once, and again after a success")
    func failedClaims() async throws {
        let queue = TestQueue()
        let loop = try Loop(name: "worker")
        defer { loop.stop() }
        let worker = try Self.worker(for: queue, on: loop)
        for fails in [true, true, false, true] {
            queue.state.withLock { $0.failsClaims = fails }
            await worker.deliverDue()
        }
        await worker.stop()
        #expect(queue.state.withLock { $0.reportedClaimFailures } == 2)
    }
}
