internal import Identity
internal import SMTP

/// One try to deliver one letter.
struct Delivery: Sendable {
    private let queued: QueuedEmail
    private let tools: EmailWorker.Dependencies

    init(_ queued: QueuedEmail, with tools: EmailWorker.Dependencies) {
        self.queued = queued
        self.tools = tools
    }

    private var letter: OutgoingEmail { queued.letter }

    func outcome() async -> DeliveryOutcome {
        do {
            return try await delivered()
        } catch {
            return .interrupted
        }
    }

    private func delivered() async throws -> DeliveryOutcome {
        let project = try await tools.project(queued.realm)
        switch written(in: project) {
        case .failure(let unwritable): return try await giveUp(unwritable.failure)
        case .success(let written): return try await handedOn(written.message, written.content)
        }
    }

    private func handedOn(_ message: Message, _ content: EmailPayload) async throws -> DeliveryOutcome {
        guard try await isWorthSending(content) else {
            try await tools.queue.remove(letter.id)
            return .dropped
        }
        switch await tools.send(message, queued, content) {
        case .accepted:
            try await forget()
            return .sent
        case .refusedForNow(let obstacle): return try await postpone(obstacle)
        case .refusedForGood(let obstacle): return try await giveUp(.obstacle(obstacle))
        }
    }

    private struct Unwritable: Error {
        let failure: Failure
    }

    private func written(
        in project: SendingProject?
    ) -> Result<(message: Message, content: EmailPayload), Unwritable> {
        guard let project else { return .failure(Unwritable(failure: .projectIsGone)) }
        let content: EmailPayload
        do {
            content = try tools.open(letter.content, letter.id)
        } catch {
            return .failure(Unwritable(failure: .unreadable))
        }
        guard let message = tools.renderer.message(of: letter, content, in: project) else {
            return .failure(Unwritable(failure: .codeIsMissing))
        }
        return .success((message, content))
    }

    /// A reset that was asked for by address gets its account now, once: a letter that is sent again must not bring back
    /// a code that was used meanwhile. A letter that says something without its link is sent even if the code is gone.
    private func isWorthSending(_ content: EmailPayload) async throws -> Bool {
        guard let code = content.code, !letter.kind.linkIsOptional else { return true }
        let hash = tools.hash(code)
        guard letter.kind == .resetPassword, letter.account == nil else { return try await tools.queue.stands(hash) }
        return try await tools.queue.bind(hash, of: queued)
    }

    private func postpone(_ obstacle: DeliveryError) async throws -> DeliveryOutcome {
        let now = tools.clock.now()
        let delay = obstacle == .closed ? .zero : DeliveryBackoff.delay(after: queued.attempts, chance: tools.chance())
        guard now + delay < letter.expiresAt else { return try await giveUp(.obstacle(obstacle)) }
        let failure = Failure.obstacle(obstacle)
        try await tools.queue.postpone(letter.id, until: now + delay, failure: "\(failure)")
        return .postponed(until: now + delay, failure)
    }

    private func giveUp(_ failure: Failure) async throws -> DeliveryOutcome {
        try await tools.queue.giveUp(letter.id, failure: "\(failure)", at: tools.clock.now())
        return .givenUp(failure)
    }

    /// Tries hard: a letter that stays is sent twice.
    private func forget() async throws {
        for _ in 1...3 {
            do {
                return try await tools.queue.remove(letter.id)
            } catch is StoreUnavailable {
                try await Task.sleep(for: .seconds(1))
            }
        }
        try await tools.queue.remove(letter.id)
    }
}
