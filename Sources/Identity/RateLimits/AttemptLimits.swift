/// How the project's policy limits what anybody may try. A place, or a mailbox, has no more attempts for a project that
/// has many tenants.
extension RateLimiter {
    /// How many addresses' limits one place may use up.
    private static let addressesOfOnePlace = 10

    /// Passes while a password may be tried.
    func requirePasswordAttempt(
        on email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        try passwordLimits(of: email, from: network, in: project, require)
    }

    /// Whether there is an account makes no difference. Nothing is ever reset by a right password: an attacker who signs
    /// in to an account of his own now and then gets no more attempts at others.
    func takePasswordFailure(
        on email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        try passwordLimits(of: email, from: network, in: project, take)
    }

    /// Whether so many passwords were wrong for `email` that attempts from unknown places have to wait.
    func isUnderAttack(_ email: EmailAddress, in project: Project) -> Bool {
        project.policy.passwordFailureLimit > 0
            && isReached(
                .addressPasswordFailures(email), Policy.addressFailureLimit, Policy.addressFailureWindow, project.realm)
    }

    /// Counts a wrong password for `email`, wherever it came from.
    func takeAddressFailure(on email: EmailAddress, in project: Project) throws(TooManyAttempts) {
        guard project.policy.passwordFailureLimit > 0 else { return }
        try take(
            .addressPasswordFailures(email), Policy.addressFailureLimit, Policy.addressFailureWindow, project.realm)
    }

    /// All places where the account of `email` had no session share one attempt a minute.
    func takeUnknownPlaceAttempt(on email: EmailAddress, in project: Project) throws(TooManyAttempts) {
        try take(.unknownNetworkAttempts(email), 1, Policy.unknownPlaceWindow, project.realm)
    }

    /// The place first: one that is over its limit leaves no trace of the addresses it goes on to try.
    private func passwordLimits(
        of email: EmailAddress, from network: ClientNetwork, in project: Project,
        _ apply: (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void
    ) throws(TooManyAttempts) {
        let limit = project.policy.passwordFailureLimit
        try apply(
            .anyPasswordFailures(from: network), limit * Self.addressesOfOnePlace, Policy.passwordWindow,
            ID(project.id))
        try apply(.passwordFailures(email, from: network), limit, Policy.passwordWindow, project.realm)
    }

    /// Counts an attempt of a signed-in client to change its account's credentials, whatever comes of it: each change
    /// writes to the audit trail, and each conflict tells something of other accounts. What an owner needs against an
    /// intruder (reset, recovery, sign-out everywhere, deletion) is not counted.
    func takeCredentialChange(of account: ID<Account>, in project: Project) throws(TooManyAttempts) {
        try take(
            .credentialChanges(account), Policy.credentialChangeLimit, Policy.credentialChangeWindow, project.realm)
    }

    /// Runs `work` as one of the sign-ups that are allowed from one place.
    ///
    /// It is counted beforehand, so that many at once are no more than one by one, and stays counted if it made an account
    /// or found the address taken: otherwise sign-up would tell without limit who has an account.
    func signingUp<Result>(
        from network: ClientNetwork, in project: Project, _ work: () async throws -> Result
    ) async throws -> Result {
        let limit = project.policy.signUpLimit
        guard limit > 0 else { return try await work() }
        try take(.signUps(from: network), limit, Policy.signUpWindow, ID(project.id))
        do {
            return try await work()
        } catch SignUpRefusal.emailTaken {
            throw SignUpRefusal.emailTaken
        } catch {
            forgive(.signUps(from: network), Policy.signUpWindow, ID(project.id))
            throw error
        }
    }

    /// Runs `work`, which gives an account an address, within the limit of sign-ups where the project hides who has an
    /// account. Stays counted only if the address was found taken: the account itself was counted when it was made.
    func takingAddress<Result>(
        from network: ClientNetwork, in project: Project, _ work: () async throws -> Result
    ) async throws -> Result {
        let limit = project.policy.signUpLimit
        guard limit > 0, project.policy.emailEnumerationProtection else { return try await work() }
        try take(.signUps(from: network), limit, Policy.signUpWindow, ID(project.id))
        do {
            let result = try await work()
            forgive(.signUps(from: network), Policy.signUpWindow, ID(project.id))
            return result
        } catch EditRefusal.emailTaken {
            throw EditRefusal.emailTaken
        } catch {
            forgive(.signUps(from: network), Policy.signUpWindow, ID(project.id))
            throw error
        }
    }
}
