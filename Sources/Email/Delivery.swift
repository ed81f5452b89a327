internal import EventLoop
internal import Identity
internal import SMTP

/// One attempt to deliver one email.
struct Delivery: Sendable {
    private let queued: QueuedEmail
    private let dependencies: EmailWorker.Dependencies

    init(_ queued: QueuedEmail, _ dependencies: EmailWorker.Dependencies) {
        self.queued = queued
        self.dependencies = dependencies
    }

    private var email: OutgoingEmail { queued.email }

    /// Makes the attempt and records its result in the queue.
    func attempt() async -> DeliveryOutcome {
        do {
            return try await deliver()
        } catch {
            return .interrupted(cause: "\(error)")
        }
    }

    private func deliver() async throws -> DeliveryOutcome {
        // The recipient is a relay address of Apple that forwards no email.
        guard !queued.relayIsStopped else { return try await giveUp(.relayStopped) }
        guard !queued.mailboxIsSuspended else { return try await giveUp(.mailboxSuspended) }
        let realm = try await dependencies.realm(queued.realm)
        switch try await rendered(for: realm) {
        case .failure(let failure): return try await giveUp(failure)
        case .success(let (message, payload)): return try await send(message, payload)
        }
    }

    private func send(_ message: Message, _ payload: EmailPayload) async throws -> DeliveryOutcome {
        guard try await isStillNeeded(payload) else {
            try await dependencies.queue.remove(email.id)
            return .dropped
        }
        switch await dependencies.send(message, queued, payload) {
        case .accepted:
            try await removeSent()
            return .sent
        case .transient(let error): return try await postpone(error)
        case .permanent(let error): return try await giveUp(.smtp(error))
        }
    }

    /// Decrypts and renders the email.
    private func rendered(
        for realm: SendingRealm?
    ) async throws -> Result<(Message, EmailPayload), DeliveryFailure> {
        guard let realm else { return .failure(.unknownProject) }
        var (email, payload) = (email, EmailPayload())
        do {
            payload = try dependencies.decrypt(email.content, email.id)
        } catch {
            return .failure(.undecryptable)
        }
        if email.kind == .signUpCode,
            let methods = try await dependencies.queue.signInMethods(of: email.recipient, in: queued.realm)
        {
            email = email.withKind(.accountExists)
            (payload.methods, payload.page) = (methods, nil)
        }
        guard let message = dependencies.renderer.message(of: email, payload, for: realm) else {
            return .failure(.missingCode)
        }
        return .success((message, payload))
    }

    /// Whether the email must still be sent. An email whose link is optional is sent even if its code is no longer
    /// valid.
    ///
    /// The code of a password reset that a client requested by address belongs to no account at first. It is bound here
    /// to the account that has the address now; without such an account, the email is not sent. The code is bound only
    /// once: if the email is sent again, a code that was redeemed in the meantime must not become valid again.
    private func isStillNeeded(_ payload: EmailPayload) async throws -> Bool {
        guard let code = payload.code, !email.kind.isSentWithInvalidLink else { return true }
        let hash = dependencies.hash(code)
        guard email.kind == .resetPassword, email.account == nil else {
            return try await dependencies.queue.isCodeStored(hash)
        }
        return try await dependencies.queue.storeResetCode(hash, of: queued)
    }

    private func postpone(_ error: DeliveryError) async throws -> DeliveryOutcome {
        let now = dependencies.clock.now()
        let backoff = RetryBackoff.delivery.delay(after: queued.attempts, chance: dependencies.chance())
        // The error `.closed` means that this process shuts down. Another process can then send the email at once.
        let delay = error == .closed ? .zero : backoff
        guard now + delay < email.expiresAt else { return try await giveUp(.smtp(error)) }
        let failure = DeliveryFailure.smtp(error)
        try await dependencies.queue.postpone(email.id, until: now + delay, failure: "\(failure)")
        return .postponed(until: now + delay, failure)
    }

    private func giveUp(_ failure: DeliveryFailure) async throws -> DeliveryOutcome {
        try await dependencies.queue.giveUp(email.id, failure: "\(failure)", at: dependencies.clock.now())
        return .givenUp(failure)
    }

    /// Removes a sent email from the queue. Retries, because an email that stays in the queue is sent again.
    private func removeSent() async throws {
        for _ in 1...3 {
            do {
                return try await dependencies.queue.remove(email.id)
            } catch let error where error is StoreUnavailable || error is PersistentConflict {
                try await Task.sleep(for: .seconds(1))
            }
        }
        try await dependencies.queue.remove(email.id)
    }
}
