/// One attempt to sign in with a password, as far as rate limits are concerned.
///
/// After ``Policy/addressFailureLimit`` wrong passwords for an address from all places together, attempts go on from places
/// where its account had a session. All other places share one attempt a minute. An address without account is treated the
/// same, so the answer does not tell whether there is one.
struct PasswordAttempt {
    private let email: EmailAddress
    private let project: Project
    private let origin: RequestContext
    private let with: Collaborators
    /// It goes on although there were too many wrong passwords for the address.
    private var isExempt = false

    init(on email: EmailAddress, in project: Project, from origin: RequestContext, with collaborators: Collaborators) {
        self.email = email
        self.project = project
        self.origin = origin
        with = collaborators
    }

    /// Passes while the password may be tried; and again after it was found right, because of many attempts at once no more
    /// than the limit may learn whether they were right.
    ///
    /// - Throws: ``TooManyAttempts``; and what the store throws, which is asked only while the address is under attack.
    mutating func require() async throws {
        try with.limiter.requirePasswordAttempt(on: email, from: origin.network, in: project)
        guard !isExempt, with.limiter.isUnderAttack(email, in: project) else { return }
        if try await !isFromKnownPlace() { try with.limiter.takeUnknownPlaceAttempt(on: email, in: project) }
        isExempt = true
    }

    /// Counts a wrong password. Of many tried at once, no more than the limit may learn that they were wrong.
    func fail() throws(TooManyAttempts) {
        try with.limiter.takePasswordFailure(on: email, from: origin.network, in: project)
        if !isExempt { try with.limiter.takeAddressFailure(on: email, in: project) }
    }

    private func isFromKnownPlace() async throws -> Bool {
        let places = with.places.hashes(origin.network, project.realm)
        let since = with.clock.now() - Policy.placeLifetime
        return try await with.store.hadSession(email, from: places, since: since, in: project.realm)
    }
}
