internal import API
internal import Identity

extension InProcessCaller {
    /// The caller of the API for whom the console makes requests. Scopes are checked in the operations, as for a
    /// service key.
    static func console(
        _ person: ConsolePerson, findRealm: @escaping @Sendable (ID<Realm>) async throws -> Realm?, clock: WallClock
    ) -> InProcessCaller {
        InProcessCaller { project, needsRecentProof in
            let now = clock.now()
            guard let project, let realm = try await findRealm(ID(project)),
                let (role, scopes) = person.permissions(in: project, at: now)
            else { throw AccessRefusal.otherProject }
            guard person.isProven(at: now) || !needsRecentProof else { throw ConsoleRefusal.proofNeeded }
            return Administrator(
                realm: realm, actor: .administrator(person.account.id, role), scopes: scopes,
                person: person.account.id)
        }
    }
}
