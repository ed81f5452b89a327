/// How the project's policy limits the mail that anybody may ask for.
extension RateLimiter {
    /// How many addresses' limits one place may use up.
    private static let addressesOfOnePlace = 10
    /// How many places may use up their limit for one address. More than one: a stranger in one place cannot keep the owner,
    /// who asks from another place, from getting mail.
    private static let placesOfOneAddress = 2

    /// Counts mail of one purpose to `email`: what the place asks for, to whatever address, then the place and the address, then the
    /// address.
    ///
    /// The first mail in a window that resets the password always passes the limits of the address, whatever else was sent
    /// to it and for whichever tenant.
    func takeEmail(
        _ purpose: OOBCode.Purpose, to email: EmailAddress, from network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        let (limit, window) = (project.policy.emailLimit, Policy.emailWindow)
        guard limit > 0 else { return }
        try take(.anyEmail(purpose, from: network), limit * Self.addressesOfOnePlace, window, ID(project.id))
        let isFirstReset = purpose == .resetPassword && isFirstReset(of: email, in: project)
        do {
            try take(.emailFromNetwork(purpose, to: email, from: network), limit, window, ID(project.id))
            try takeEmail(purpose, to: email, afterPlace: network, in: project)
        } catch {
            guard !isFirstReset else { return }
            forgive(.anyEmail(purpose, from: network), window, ID(project.id))
            throw error
        }
    }

    private func takeEmail(
        _ purpose: OOBCode.Purpose, to email: EmailAddress, afterPlace network: ClientNetwork, in project: Project
    ) throws(TooManyAttempts) {
        let (limit, window) = (project.policy.emailLimit, Policy.emailWindow)
        do {
            try take(.email(purpose, to: email), limit * Self.placesOfOneAddress, window, ID(project.id))
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
