@testable import Identity

/// A model of what the store does with decisions.
extension World {
    /// Creates an account, or signs in to one, or links the identity.
    ///
    /// - Parameter caller: the account of the session to which the identity is linked; `nil` for a sign-in.
    /// - Returns: the account that the user is signed in to; `nil` if the gateway rejects the request.
    mutating func present(_ person: Person, to caller: Int? = nil) -> Int? {
        let callerAccount = caller.flatMap { member($0) }.map { account($0) }
        let facts = LinkingFacts(
            identity: person.verified, owner: member(with: person).map { account($0) },
            sameEmail: person.mailbox.flatMap { holder(of: $0) }.map { account($0) },
            hasEarlierMailbox: person.mailbox.flatMap { holder(of: $0) }.flatMap { earlierMailbox(of: $0) } != nil,
            caller: callerAccount.map { Caller(withIDTokenOf: $0, in: session(of: $0)) }, policy: Self.policy)
        guard case .commit(let change) = LinkingDecision(facts),
            caller != nil || !stopsSignIn(of: person, by: change)
        else { return nil }
        switch change {
        case .signIn(let account), .signInChangingEmail(let account, _): return Int(account.id.rawValue)
        case .create(let copiesEmail): return create(for: person, copiesEmail: copiesEmail)
        case .createInPlaceOf(let former):
            apply(.disavowing(former))
            return create(for: person, copiesEmail: true)
        case .link(let account, _, let copiesEmail):
            guard let id = Int(account.id.rawValue) else { return nil }
            let method = AddedSignInMethod(
                provider: person.provider, subject: person.subject, addedAt: Self.instant(now))
            store(try? Self.emails.additionNotice(of: method, to: account, by: Self.policy, from: Self.context))
            let time = now
            self.change(id) {
                $0.mailbox = $0.mailbox ?? (copiesEmail ? person.mailbox : nil)
                $0.isVerified = $0.isVerified || person.trust == .authoritative && $0.mailbox == person.mailbox
                $0.identities.append(Linked(person: person, time: time))
            }
            return id
        case .reclaim(let account):
            guard let id = Int(account.id.rawValue) else { return nil }
            let time = now
            self.change(id) {
                ($0.passwordTime, $0.passwordIsKnown, $0.isVerified) = (nil, false, true)
                ($0.factorTime, $0.factorIsKnown) = (nil, false)
                $0.identities = [Linked(person: person, time: time)]
            }
            sessions.remove(id)
            codes.removeAll { $0.account == id && !$0.isUndo }
            return id
        }
    }

    /// Whether a sign-in stops before anything is stored, because the person does not have the account's second factor.
    private func stopsSignIn(of person: Person, by change: SignInChange) -> Bool {
        switch change {
        case .signIn(let account), .signInChangingEmail(let account, _), .link(let account, _, _):
            Int(account.id.rawValue).flatMap { member($0) }?.stopsSignIn(ofIntruder: person.isIntruder) ?? false
        case .reclaim, .create, .createInPlaceOf: false
        }
    }

    private mutating func create(for person: Person, copiesEmail: Bool) -> Int {
        var linked = LinkedIdentity(person.verified)
        linked.linkedAt = Self.instant(now)
        let account = Account(ID(String(nextID)), for: linked, copiesEmail: copiesEmail, at: Self.instant(now))
        return insert(
            Member(
                id: nextID, mailbox: Mailbox(account.email), isVerified: account.emailIsVerified,
                identities: [Linked(person: person, time: now)], createdAt: now))
    }

    /// Creates an account for the user who has proven the mailbox of `former`, which loses its address.
    mutating func createAccount(
        inPlaceOf former: Member, usesEmailLinks: Bool = false, setsPassword: Bool = false,
        passwordIsKnown: Bool = false
    ) -> Int {
        apply(.disavowing(account(former)))
        return insert(
            Member(
                id: nextID, mailbox: former.mailbox, isVerified: true, passwordTime: setsPassword ? now : nil,
                passwordIsKnown: passwordIsKnown, usesEmailLinks: usesEmailLinks, createdAt: now))
    }

    /// Another mailbox that can take the account back.
    func earlierMailbox(of member: Member) -> EarlierMailbox? {
        let remedies = codes.filter { $0.account == member.id && !$0.isUndo }
        let first = remedies.filter { $0.mailbox == member.mailbox }.map(\.createdAt).min() ?? .max
        return remedies.contains { $0.mailbox != member.mailbox && $0.createdAt < first }
            ? EarlierMailbox(canRecoverUntil: Self.endOfTime) : nil
    }

    private func session(of account: Account) -> Session {
        Session(
            id: ID("s"), account: account.id, generation: 1, method: .password, authenticatedAt: Self.instant(now),
            device: nil)
    }

    mutating func insert(_ member: Member) -> Int {
        members.append(member)
        nextID += 1
        return member.id
    }

    /// Applies a change that a code or a sign-in link has caused.
    ///
    /// - Parameter passwordIsKnown: whether the intruder knows the password that the change sets.
    /// - Returns: `false` if another account has the address: then nothing changes.
    @discardableResult
    mutating func apply(_ change: MailboxChange, passwordIsKnown: Bool = false) -> Bool {
        guard let id = Int(change.account.id.rawValue) else { return false }
        if let loser = change.accountLosingAddress { apply(.disavowing(loser)) }
        let mailbox = Mailbox(change.email)
        if let mailbox, let holder = holder(of: mailbox), holder.id != id { return false }
        let (update, time) = (change.update, now)
        self.change(id) { member in
            member.mailbox = mailbox
            member.isVerified = mailbox != nil && (update.emailIsVerified ?? member.isVerified)
            switch update.passwordHash {
            case .set: (member.passwordTime, member.passwordIsKnown) = (time, passwordIsKnown)
            case .remove: (member.passwordTime, member.passwordIsKnown) = (nil, false)
            case nil: break
            }
            member.usesEmailLinks = mailbox != nil && (update.usesEmailLinks ?? member.usesEmailLinks)
            member.identities.removeAll { linked in
                change.unlinkedProviders.contains(linked.person.provider)
                    || change.removedAdditions?.includes(.identities, addedAt: Self.instant(linked.time)) == true
            }
            if let time = member.factorTime,
                change.removedAdditions?.includes(.factors, addedAt: Self.instant(time)) == true
            {
                (member.factorTime, member.factorIsKnown) = (nil, false)
            }
        }
        if update.endsSessions { sessions.remove(id) }
        if let voided = change.voidedRemedies {
            voidRemedies(voided, of: id)
        }
        return true
    }

    private mutating func voidRemedies(_ voided: MailboxChange.VoidedRemedies, of id: Int) {
        let (mailbox, kept) = (Mailbox(voided.email), Self.time(voided.methodsKeptBefore))
        let redeemedAt = voided.redeemedCodeCreatedAt.map(Self.time)
        let remedies = codes.filter { $0.account == id && !$0.isUndo }
        let first = (remedies.filter { $0.mailbox == mailbox }.map(\.createdAt) + [redeemedAt].compactMap(\.self)).min()
        guard let first else { return }
        codes.removeAll { code in
            code.account == id && !code.isUndo && code.createdAt >= first
                && (code.mailbox != mailbox || code.addedAt < 0 || code.addedAt >= kept)
                && !(voided.keepsFactorRemedies && code.mailbox == mailbox && code.kind == .removal(.factor))
        }
    }

    /// Applies a change by the owner of a session, which continues; all other sessions end.
    mutating func update(_ id: Int, mailbox: Mailbox?, unlinking providers: Set<ProviderID>, setsPassword: Bool) {
        guard let before = member(id) else { return }
        var updated = account(before)
        if let mailbox { updated.email = mailbox.address }
        if setsPassword { updated.passwordUpdatedAt = Self.instant(now) }
        let isNewAddress = updated.email != before.mailbox?.address
        if isNewAddress { updated.emailIsVerified = false }
        if providers.contains(.password) { (updated.passwordUpdatedAt, updated.usesEmailLinks) = (nil, false) }
        let email = updated.primaryEmail(without: providers)
        if email.email != before.mailbox?.address {
            store(
                try? Self.emails.emailChangedNotice(
                    to: account(before), newEmail: email.email, by: Self.policy, from: Self.context,
                    at: Self.instant(now)))
        }
        if setsPassword, before.passwordTime == nil {
            let method = AddedSignInMethod(provider: .password, subject: nil, addedAt: Self.instant(now))
            store(try? Self.emails.additionNotice(of: method, to: account(before), by: Self.policy, from: Self.context))
        }
        let time = now
        var stored = email
        if let new = Mailbox(email.email), let holder = holder(of: new), holder.id != id { stored = (nil, false) }
        change(id) {
            $0.mailbox = Mailbox(stored.email)
            $0.isVerified = stored.isVerified
            if setsPassword { ($0.passwordTime, $0.passwordIsKnown) = (time, true) }
            if providers.contains(.password) { ($0.passwordTime, $0.passwordIsKnown) = (nil, false) }
            $0.usesEmailLinks = updated.usesEmailLinks && $0.mailbox != nil
            $0.identities.removeAll { providers.contains($0.person.provider) }
        }
    }

    /// - Returns: `false` if the merge is refused.
    mutating func merge(_ sourceID: Int, into targetID: Int) -> Bool {
        guard let source = member(sourceID), let target = member(targetID),
            let precondition = try? MergePrecondition(of: account(source), into: account(target)),
            recoveries(of: sourceID).isEmpty
        else { return false }
        let merge = AccountMerge(
            precondition: precondition, replayKeys: [], mergedAt: Self.instant(now),
            undoableUntil: Self.endOfTime)
        let addresses = recoveries(of: targetID).map {
            MergedAccounts.Recovery(account: ID(String(targetID)), email: $0.address)
        }
        merges.append(
            Merge(
                source: source, target: targetID, movesEmail: precondition.plan.movesEmail, mergedAt: now,
                earlier: merges.filter { $0.target == sourceID }.map(\.source.id)))
        for index in merges.indices where merges[index].target == sourceID { merges[index].target = targetID }
        codes.removeAll { $0.account == sourceID && !$0.isUndo }
        for index in codes.indices where codes[index].account == sourceID { codes[index].account = targetID }
        members.removeAll { $0.id == sourceID }
        sessions.remove(sourceID)
        let time = now
        change(targetID) {
            $0.identities += source.identities.map { Linked(person: $0.person, time: time) }
            guard precondition.plan.movesEmail else { return }
            ($0.mailbox, $0.isVerified, $0.usesEmailLinks) = (source.mailbox, source.isVerified, source.usesEmailLinks)
            $0.passwordTime = source.passwordTime == nil ? nil : time
            $0.passwordIsKnown = source.passwordIsKnown
        }
        guard let merged = member(targetID) else { return false }
        let notices = MergeNotices(of: merge, emailFactory: Self.emails, by: Self.policy, from: Self.context)
        store(
            try? notices.emailBatch(
                for: MergedAccounts(source: account(source), target: account(merged), recoveries: addresses)))
        return true
    }

    /// The addresses that codes can restore to an account.
    private func recoveries(of id: Int) -> Set<Mailbox> {
        let current = member(id)?.mailbox
        return Set(
            codes.filter {
                $0.account == id && !$0.isUndo && ($0.kind == .recovery || $0.mailbox != current)
            }.map(\.mailbox))
    }

    /// Undoes a merge with the code in the notice.
    ///
    /// - Returns: the restored account; `nil` if the code is invalid.
    mutating func undo(_ code: Code) -> Int? {
        guard case .undo(let sourceID) = code.kind,
            let merge = merges.first(where: { $0.source.id == sourceID && $0.mergedAt == code.createdAt }),
            let target = member(merge.target),
            let plan = try? MergePlan(of: account(merge.source), into: emptied(target, of: merge))
        else { return nil }
        let record = MergeRecord(
            plan: plan, source: account(merge.source), targetGeneration: 1, targetHadSignInMethod: true,
            targetUsedEmailLinks: false, mergedAt: Self.instant(merge.mergedAt),
            undoableUntil: Self.endOfTime)
        let reversal = MergeReversal(of: record, from: account(target), among: members.map { account($0) })
        codes.removeAll { $0.kind == code.kind }
        if let loser = reversal.accountLosingAddress { apply(.disavowing(loser)) }
        if reversal.target != nil {
            let moved = Set(reversal.movedBack.map(\.subject))
            change(target.id) {
                $0.identities.removeAll { moved.contains($0.person.subject) }
                guard reversal.targetLosesEmail else { return }
                ($0.mailbox, $0.isVerified, $0.usesEmailLinks) = (nil, false, false)
                ($0.passwordTime, $0.passwordIsKnown) = (nil, false)
            }
            sessions.remove(target.id)
        }
        var source = merge.source
        let returning = Set((reversal.movedBack + reversal.recreated).map(\.subject))
        source.identities = source.identities.filter { returning.contains($0.person.subject) }
            .map { Linked(person: $0.person, time: now) }
        if let time = source.factorTime, reversal.removedAdditions.includes(.factors, addedAt: Self.instant(time)) {
            (source.factorTime, source.factorIsKnown) = (nil, false)
        }
        if !reversal.returnsPassword { (source.passwordTime, source.passwordIsKnown) = (nil, false) }
        if reversal.returnsEmail {
            source.isVerified = true
        } else {
            (source.mailbox, source.isVerified, source.usesEmailLinks) = (nil, false, false)
            (source.passwordTime, source.passwordIsKnown) = (nil, false)
        }
        members.append(source)
        merges.removeAll { $0.source.id == source.id }
        for index in merges.indices where merge.earlier.contains(merges[index].source.id) {
            merges[index].target = source.id
        }
        for index in codes.indices {
            if case .undo(let earlier) = codes[index].kind, merge.earlier.contains(earlier) {
                codes[index].account = source.id
            }
        }
        return source.id
    }

    /// The target as it was before the merge, as far as a plan depends on it.
    private func emptied(_ target: Member, of merge: Merge) -> Account {
        var account = account(target)
        account.identities = []
        account.email = merge.movesEmail ? nil : Mailbox.intruder.address
        return account
    }
}
