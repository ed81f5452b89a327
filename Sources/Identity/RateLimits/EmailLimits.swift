/// Rate limits for the emails that clients request.
extension RateLimiter {
    /// The number of client networks that may exhaust their limits for one address. More than one, so that an attacker
    /// in one network cannot prevent the owner in another network from getting email.
    private static let networksPerAddress = 2

    /// Counts an email of one purpose to `email` against three limits: for all emails from the network, for emails from
    /// the network to this address, and for all emails to this address.
    ///
    /// In each realm, the first password reset email to an address in a window is sent even if the last two of these
    /// limits are exhausted. The limit for all emails from the network still applies.
    func countEmail(
        _ purpose: OOBCode.Purpose, to email: EmailAddress, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        let (limit, window) = (realm.policy.emailLimit, Policy.emailWindow)
        guard limit > 0 else { return }
        try count(.anyEmail(purpose, from: network), limit * Self.addressesPerNetwork, window, ID(realm.project.id))
        let isFirstReset = purpose == .resetPassword && countFirstReset(of: email, in: realm)
        do {
            try count(.emailFromNetwork(purpose, to: email, from: network), limit, window, ID(realm.project.id))
            try countForAddress(purpose, to: email, from: network, in: realm)
        } catch {
            guard !isFirstReset else { return }
            subtract(.anyEmail(purpose, from: network), window, ID(realm.project.id))
            throw error
        }
    }

    /// Counts an email against the limit for all emails to the address. If that limit is reached, subtracts the email
    /// from the limit for emails from the network to the address.
    private func countForAddress(
        _ purpose: OOBCode.Purpose, to email: EmailAddress, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        let (limit, window) = (realm.policy.emailLimit, Policy.emailWindow)
        do {
            try count(.email(purpose, to: email), limit * Self.networksPerAddress, window, ID(realm.project.id))
        } catch {
            subtract(.emailFromNetwork(purpose, to: email, from: network), window, ID(realm.project.id))
            throw error
        }
    }

    /// - Returns: whether this is the first password reset for `email` in the current window.
    private func countFirstReset(of email: EmailAddress, in realm: Realm) -> Bool {
        // Checked first, because a rejected `count` would appear in the metric of rejected requests.
        guard !isReached(.firstReset(to: email), 1, Policy.emailWindow, realm.id) else { return false }
        do {
            try count(.firstReset(to: email), 1, Policy.emailWindow, realm.id)
            return true
        } catch {
            return false
        }
    }
}
