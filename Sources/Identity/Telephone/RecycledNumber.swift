extension Account {
    /// Whether the user can sign in without the telephone number.
    var hasOtherMethodThanPhone: Bool {
        !identities.isEmpty || email != nil || usesCustomTokens || !passkeys.isEmpty
    }

    /// Whether the account's number may have been assigned to another person since the account last proved it, so that
    /// the proof of the number does not prove the owner. An account with the number alone has no other owner, unless it
    /// is disabled or has second factors: the number alone does not open such an account, which would keep the number
    /// from every later holder.
    func mayHaveRecycledNumber(by policy: Policy, at now: Instant) -> Bool {
        let hasOtherOwner = hasOtherMethodThanPhone || isDisabled || !secondFactors.isEmpty
        guard policy.recycledNumberAge > .zero, hasOtherOwner else { return false }
        return phoneProvenAt.map { now - $0 > policy.recycledNumberAge } ?? true
    }
}
