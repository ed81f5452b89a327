import Identity

/// Takes everything, and finds nothing.
struct FakeOOBCodeStore: OOBCodeStore {
    func issue(
        _ code: OOBCode, _ outgoing: OutgoingEmail?, by session: Session?, for administrator: (AuditNote, AuditActor)?,
        in project: ID<Realm>
    ) -> Bool { true }
    func enqueue(_ outgoing: OutgoingEmail, in project: ID<Realm>) {}
    func find(_ hash: [UInt8], in project: ID<Realm>?) -> FoundCode? { nil }
    func redeem(_ redemption: Redemption, in project: ID<Realm>) -> Redeemed { .used }
    func undoMerge(_ undoing: MergeUndoing, in project: ID<Realm>) -> UndoneMerge { .impossible }
}
