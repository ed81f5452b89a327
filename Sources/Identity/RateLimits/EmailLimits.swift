/// Rate limits of the project's policy for the emails that clients request.
extension RateLimiter {
    /// The number of addresses whose limits one client network may exhaust.
    private static let addressesPerNetwork = 10
    /// The number of client networks that may exhaust their limits for one address. More than one, so that a stranger
    /// in one network cannot keep the owner in another network from getting email.
    private static let networksPerAddress = 2

    /// Counts an email of one purpose to `email` against three limits: of the network for all addresses, of the network
    /// for this address, and of the address.
    ///
    /// The first password reset email in a window always passes the limits of the address, whatever other emails were
    /// sent to it and for which tenant.
    func takeEmail(
        _ purpose: OOBCode.Purpose, to email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        let (limit, window) = (project.policy.emailLimit, Policy.emailWindow)
        guard limit > 0 else { return }
        try take(.anyEmail(purpose, from: network), limit * Self.addressesPerNetwork, window, ID(project.id))
        let isFirstReset = purpose == .resetPassword && isFirstReset(of: email, in: project)
        do {
            try take(.emailFromNetwork(purpose, to: email, from: network), limit, window, ID(project.id))
            try takeAddressLimit(purpose, to: email, from: network, in: project)
        } catch {
            guard !isFirstReset else { return }
            forgive(.anyEmail(purpose, from: network), window, ID(project.id))
            throw error
        }
    }

    private func takeAddressLimit(
        _ purpose: OOBCode.Purpose, to email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        let (limit, window) = (project.policy.emailLimit, Policy.emailWindow)
        do {
            try take(.email(purpose, to: email), limit * Self.networksPerAddress, window, ID(project.id))
        } catch {
            forgive(.emailFromNetwork(purpose, to: email, from: network), window, ID(project.id))
            throw error
        }
    }

    private func isFirstReset(of email: EmailAddress, in project: Project) -> Bool {
        guard !isReached(.firstReset(to: email), 1, Policy.emailWindow, project.realm) else { return false }
        do {
            try take(.firstReset(to: email), 1, Policy.emailWindow, project.realm)
            return true
        } catch {
            return false
        }
    }
}
