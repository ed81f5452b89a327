/// Rate limits of the project's policy for sign-in, sign-up and credential changes. A client network or an email
/// address gets no additional attempts if a project has several tenants.
extension RateLimiter {
    /// The number of addresses whose limits one client network may exhaust.
    private static let addressesPerNetwork = 10

    /// Throws if no password may be tried for `email` from `network` now. Counts nothing.
    func requirePasswordAttempt(
        on email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        try passwordLimits(of: email, from: network, in: project, require)
    }

    /// Counts a wrong password, also for an address without account. A correct password resets nothing: otherwise an
    /// attacker could sign in to an own account from time to time to get more attempts at others.
    func takePasswordFailure(
        on email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        try passwordLimits(of: email, from: network, in: project, take)
    }

    /// Whether so many passwords were wrong for `email` that attempts from unknown networks are delayed.
    func isUnderAttack(_ email: EmailAddress, in project: Project) -> Bool {
        project.policy.passwordFailureLimit > 0
            && isReached(
                .addressPasswordFailures(email), Policy.addressFailureLimit, Policy.addressFailureWindow, project.realm)
    }

    /// Counts a wrong password for `email` from any network.
    func takeAddressFailure(on email: EmailAddress, in project: Project) throws(TooManyAttempts) {
        guard project.policy.passwordFailureLimit > 0 else { return }
        try take(
            .addressPasswordFailures(email), Policy.addressFailureLimit, Policy.addressFailureWindow, project.realm)
    }

    /// Counts an attempt from a network in which the account of `email` had no session. All such networks share one
    /// attempt per minute.
    func takeUnknownNetworkAttempt(on email: EmailAddress, in project: Project) throws(TooManyAttempts) {
        try take(.unknownNetworkAttempts(email), 1, Policy.unknownNetworkWindow, project.realm)
    }

    /// The limit of the network comes first: a network over its limit leaves no counters for further addresses.
    private func passwordLimits(
        of email: EmailAddress, from network: ClientNetwork, in project: Project,
        _ apply: (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void
    ) throws(TooManyAttempts) {
        let limit = project.policy.passwordFailureLimit
        try apply(
            .anyPasswordFailures(from: network), limit * Self.addressesPerNetwork, Policy.passwordWindow,
            ID(project.id))
        try apply(.passwordFailures(email, from: network), limit, Policy.passwordWindow, project.realm)
    }

    /// Counts an attempt of a signed-in client to change its account's credentials, whatever the result: each change
    /// writes to the audit trail, and each conflict reveals something about other accounts. What an owner needs against
    /// an intruder (reset, recovery, sign-out everywhere, deletion) is not counted.
    func takeCredentialChange(of account: ID<Account>, in project: Project) throws(TooManyAttempts) {
        try take(
            .credentialChanges(account), Policy.credentialChangeLimit, Policy.credentialChangeWindow, project.realm)
    }

    /// Runs `work` as one of the sign-ups that are allowed from one client network.
    ///
    /// The sign-up is counted before it runs, so that concurrent sign-ups cannot exceed the limit. It stays counted if
    /// it created an account or found the address taken: otherwise sign-up would reveal without limit which addresses
    /// have accounts.
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

    /// Runs `work`, which gives an account an address, within the sign-up limit if the project has email enumeration
    /// protection. It stays counted only if the address was taken: the account itself was counted when it was created.
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
