@testable import Identity

extension World {
    /// A step of the intruder or of the owner. A step that the gateway rejects changes nothing.
    enum Step: Hashable {
        // Steps of the intruder.
        case signUp(Mailbox)
        case present(Person)
        case link(Person, to: Int)
        case unlink(ProviderID, from: Int)
        case setPassword(Int)
        case enrollFactor(Int)
        case changeAddress(Int, to: Mailbox)
        case confirmOwnAddress(Int)
        /// On the same page, the intruder states that the account or its identities are not theirs, or chooses a new
        /// account.
        case disavowOwnAddress(Int), disownIdentities(Int), createOwnAccount(from: Int)
        case openOwnEmailLink(in: Int?)
        case resetOwnPassword
        case merge(Int, into: Int)
        case delete(Int)
        case useRemedy(Code)
        // Steps of the owner.
        case ownerPresents(Person)
        case ownerOpensEmailLink
        /// The intruder has requested the email, and the owner confirms without reading.
        case ownerConfirmsAddress(of: Int)
    }

    /// Every step that may change the world.
    var steps: [Step] {
        var steps: [Step] = [.openOwnEmailLink(in: nil), .resetOwnPassword, .ownerOpensEmailLink]
        steps += Mailbox.allCases.filter { holder(of: $0) == nil }.map { .signUp($0) }
        steps += Person.allCases.filter { member(with: $0) == nil }
            .map { $0.isIntruder ? .present($0) : .ownerPresents($0) }
        for member in members {
            let id = member.id
            if member.mailbox != nil, !member.isVerified { steps.append(.ownerConfirmsAddress(of: id)) }
            if sessions.contains(id), member.mailbox == .intruder {
                if !member.identities.isEmpty { steps.append(.disownIdentities(id)) }
                steps.append(member.isVerified ? .createOwnAccount(from: id) : .disavowOwnAddress(id))
            }
            guard sessions.contains(id) else { continue }
            steps += [Person.intruderGoogle, .intruderApple].filter { self.member(with: $0) == nil }
                .map { .link($0, to: id) }
            steps += Set(member.identities.map(\.person.provider)).union([.password]).map { .unlink($0, from: id) }
            steps += [.setPassword(id), .confirmOwnAddress(id), .openOwnEmailLink(in: id), .delete(id)]
            // SECURITY.md lists the limit for a factor that was announced to another mailbox than the owner's.
            if member.isVerified, member.mailbox == .owner, member.factorTime == nil {
                steps.append(.enrollFactor(id))
            }
            steps += Mailbox.allCases.filter { holder(of: $0) == nil }.map { .changeAddress(id, to: $0) }
            steps += sessions.filter { $0 != id }.map { .merge(id, into: $0) }
        }
        steps += codes.filter { $0.mailbox == .intruder }.map { .useRemedy($0) }
        return steps
    }

    func after(_ step: Step) -> World {
        var world = self
        world.take(step)
        world.openSessions()
        // A sign-in that stops before the second factor opens no session.
        world.sessions.subtract(world.members.filter { $0.stopsSignIn(ofIntruder: true) }.map(\.id))
        return world.canonical()
    }

    /// The intruder signs in wherever a password or an identity of theirs works, because another session is never a
    /// disadvantage.
    mutating func openSessions() {
        for member in members
        where !member.stopsSignIn(ofIntruder: true)
            && (member.passwordIsKnown || member.identities.contains { $0.person.isIntruder })
        {
            sessions.insert(member.id)
        }
    }

    private mutating func take(_ step: Step) {
        switch step {
        case .signUp(let mailbox):
            let id = insert(
                Member(id: nextID, mailbox: mailbox, passwordTime: now, passwordIsKnown: true, createdAt: now))
            sessions.insert(id)
        case .present(let person):
            if let id = present(person) { sessions.insert(id) }
        case .link(let person, let id): _ = present(person, to: id)
        case .unlink(let provider, let id):
            guard let member = member(id), provider != .password || member.passwordTime != nil || member.usesEmailLinks
            else { return }
            var remaining = account(member)
            remaining.identities.removeAll { $0.provider == provider }
            if provider == .password { (remaining.passwordUpdatedAt, remaining.usesEmailLinks) = (nil, false) }
            guard remaining.hasSignInMethod else { return }
            update(id, mailbox: nil, unlinking: [provider], setsPassword: false)
        case .setPassword(let id):
            if member(id)?.mailbox != nil { update(id, mailbox: nil, unlinking: [], setsPassword: true) }
        case .enrollFactor(let id): enrollFactor(id)
        case .changeAddress(let id, let mailbox): update(id, mailbox: mailbox, unlinking: [], setsPassword: false)
        case .confirmOwnAddress(let id):
            guard let member = member(id), member.mailbox == .intruder else { return }
            apply(.verifying(account(member)))
        case .disavowOwnAddress(let id):
            guard let member = member(id), member.mailbox == .intruder, !member.isVerified else { return }
            apply(.disavowing(account(member)))
        case .disownIdentities(let id):
            guard let member = member(id), member.mailbox == .intruder else { return }
            let providers = Set(member.identities.map(\.person.provider))
            apply(.verifying(account(member), removing: MethodSelection(providers: providers)))
        case .createOwnAccount(let id):
            guard let member = member(id), member.mailbox == .intruder,
                choice(.verifyEmail, member).createsAccount(isChosen: true)
            else { return }
            sessions.insert(createAccount(inPlaceOf: member, setsPassword: true, passwordIsKnown: true))
        case .openOwnEmailLink(let id): openEmailLink(.intruder, in: id)
        case .resetOwnPassword:
            guard let member = holder(of: .intruder) else { return }
            reset(member, selecting: [], passwordIsKnown: true)
        case .merge(let source, let target): _ = merge(source, into: target)
        case .delete(let id): delete(id)
        case .useRemedy(let code):
            guard codes.contains(code), let id = use(code, selecting: []) else { return }
            guard let member = member(id), member.mailbox == code.mailbox else { return }
            reset(member, selecting: [], passwordIsKnown: true)
        case .ownerPresents(let person): _ = present(person)
        case .ownerOpensEmailLink: openEmailLink(.owner, in: nil)
        case .ownerConfirmsAddress(let id):
            guard let member = member(id), member.mailbox == .owner else { return }
            apply(.verifying(account(member)))
        }
    }

    private mutating func enrollFactor(_ id: Int) {
        guard let member = member(id) else { return }
        let time = now
        store(
            try? Self.emails.factorAddedNotice(
                of: Self.factor(time), to: account(member), by: Self.policy, from: Self.context))
        change(id) { ($0.factorTime, $0.factorIsKnown) = (time, true) }
    }

    private mutating func delete(_ id: Int) {
        members.removeAll { $0.id == id }
        sessions.remove(id)
        codes.removeAll { $0.account == id }
        merges.removeAll { $0.target == id }
    }

    /// Opens a sign-in link. With a session, adds the mailbox to the account of the session.
    private mutating func openEmailLink(_ mailbox: Mailbox, in id: Int?) {
        let holder = holder(of: mailbox)
        if let id, let member = member(id) {
            guard holder == nil || holder?.id == id else { return }
            let change = MailboxChange.linking(mailbox.address, to: account(member))
            if member.mailbox != mailbox || !member.usesEmailLinks { announceEmailLink(to: member, change) }
            let keepsSession = sessions.contains(id)
            apply(change)
            if keepsSession { sessions.insert(id) }
        } else if let holder, choice(.signIn, holder).createsAccount(isChosen: false) {
            let id = createAccount(inPlaceOf: holder, usesEmailLinks: true)
            if mailbox == .intruder { sessions.insert(id) }
        } else if let holder {
            let change = MailboxChange.signingIn(account(holder))
            guard change.loss == .reclaimed || !holder.stopsSignIn(ofIntruder: mailbox == .intruder) else { return }
            apply(change)
            if mailbox == .intruder { sessions.insert(holder.id) }
        } else {
            let id = insert(
                Member(id: nextID, mailbox: mailbox, isVerified: true, usesEmailLinks: true, createdAt: now))
            if mailbox == .intruder { sessions.insert(id) }
        }
    }

    private mutating func announceEmailLink(to member: Member, _ change: MailboxChange) {
        if change.update.endsSessions,
            let notice = try? Self.emails.emailChangedNotice(
                to: account(member), newEmail: change.email, by: Self.policy, from: Self.context,
                at: Self.instant(now))
        {
            store(notice)
        }
        let method = AddedSignInMethod(provider: .emailLink, subject: nil, addedAt: Self.instant(now))
        if let notice = try? Self.emails.additionNotice(
            of: method, to: account(member), by: Self.policy, from: Self.context)
        {
            store(notice)
        }
    }

    /// Whether a user who proves the mailbox of an account gets a new account.
    func choice(_ purpose: OOBCode.Purpose, _ member: Member) -> NewAccountChoice {
        guard let mailbox = member.mailbox else { return .none }
        let account = account(member)
        let code = OOBCode(
            hash: [], purpose: purpose, account: account.id, email: mailbox.address, createdAt: Self.instant(now),
            expiresAt: Self.endOfTime)
        return FoundCode(code: code, realm: ID(""), account: account, earlierMailbox: earlierMailbox(of: member))
            .newAccountChoice
    }

    /// Resets a password with the link in an email.
    ///
    /// - Parameters:
    ///   - providers: the identities that the user selects on the page.
    ///   - choosesNewAccount: whether the user chooses a new account if the page offers it.
    /// - Returns: the account whose password was set.
    @discardableResult
    mutating func reset(
        _ member: Member, selecting providers: Set<ProviderID>, choosesNewAccount: Bool = false,
        passwordIsKnown: Bool = false
    ) -> Int {
        if choice(.resetPassword, member).createsAccount(isChosen: choosesNewAccount) {
            return createAccount(inPlaceOf: member, setsPassword: true, passwordIsKnown: passwordIsKnown)
        }
        let change = MailboxChange.resetting(
            account(member), to: "hash", removing: MethodSelection(providers: providers), by: Self.policy)
        apply(change, passwordIsKnown: passwordIsKnown)
        guard change.loss == nil, let email = change.email,
            let notice = try? Self.emails.resetNotice(
                to: email, about: change.account.id, withRemovalLinksFor: change.remainingRemovableIdentities,
                earlier: earlierMailbox(of: member), from: Self.context, at: Self.instant(now))
        else { return member.id }
        store(notice)
        return member.id
    }

    /// Uses a remedy.
    ///
    /// - Returns: the account; `nil` if the gateway rejects the code.
    mutating func use(_ code: Code, selecting providers: Set<ProviderID>) -> Int? {
        if code.isUndo { return undo(code) }
        guard let member = member(code.account) else { return nil }
        let (account, stored) = (account(member), stored(code))
        let other = holder(of: code.mailbox).flatMap { $0.id == member.id ? nil : self.account($0) }
        let change: MailboxChange
        if let method = stored.method {
            change = .removing(method, from: account, by: stored, otherHolder: other)
        } else {
            change = .recovering(
                account, by: stored, removing: MethodSelection(providers: providers), from: other)
        }
        let before = self
        codes.removeAll { $0 == code }
        guard apply(change) else {
            self = before
            return nil
        }
        return member.id
    }
}
