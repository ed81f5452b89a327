@testable import Identity

/// What the owner of a mailbox can do against an intruder.
extension World {
    struct Remedy {
        let name: String
        /// The owner's account after the remedy.
        let account: Int
        let after: World
    }

    /// Every remedy that the owner has, with its outcome. On a page, the owner selects each listed identity that is not
    /// theirs, and chooses a new account if the owner of another mailbox could take the account back. After a remedy,
    /// the owner sets a new password.
    var remedies: [Remedy] {
        var remedies: [Remedy] = []
        if let member = holder(of: .owner) {
            remedies.append(resettingOnPage(member.id, "reset on the page"))
            remedies.append(resettingThroughAPI(member.id, "reset through the API, then the links in its notice"))
            if !member.isVerified { remedies += [confirmingOnPage(member)].compactMap(\.self) }
        }
        for code in codes where code.mailbox == .owner {
            for selects in code.kind == .recovery ? [true, false] : [true] {
                var world = self
                let foreign = selects ? world.foreignProviders(of: code.account, since: code.createdAt) : []
                guard let id = world.use(code, selecting: foreign), world.member(id)?.mailbox == .owner else {
                    continue
                }
                world.now += 1
                remedies.append(
                    selects
                        ? world.resettingOnPage(id, "\(code)")
                        : world.resettingThroughAPI(id, "\(code) through the API"))
            }
        }
        for person in [Person.ownerApple, .ownerGoogle] where member(with: person) == nil {
            guard let member = holder(of: .owner), !member.isVerified else { continue }
            var world = self
            if let id = world.present(person), world.holder(of: .owner)?.isVerified == true {
                remedies.append(Remedy(name: "reclaim of \(member.id) with \(person)", account: id, after: world))
            }
        }
        return remedies
    }

    /// The listed identities that the owner did not add.
    private func foreignProviders(of id: Int, since time: Int = .max) -> Set<ProviderID> {
        guard let member = member(id) else { return [] }
        let listed = account(member).removableIdentities(byOwnerOf: Mailbox.owner.address).map(\.subject)
        return Set(
            member.identities.filter { $0.person.isIntruder && $0.time < time && listed.contains($0.person.subject) }
                .map(\.person.provider))
    }

    private func resettingOnPage(_ id: Int, _ name: String) -> Remedy {
        var world = self
        let foreign = world.foreignProviders(of: id)
        let account = world.member(id).map { world.reset($0, selecting: foreign, choosesNewAccount: true) }
        return Remedy(name: name, account: account ?? id, after: world)
    }

    /// The owner also follows the notice of the reset: opens its links, and if it states that the owner of another
    /// mailbox could take the account back, resets the password again on the page.
    private func resettingThroughAPI(_ id: Int, _ name: String) -> Remedy {
        var world = self
        let time = now
        let account = world.member(id).map { world.reset($0, selecting: []) } ?? id
        guard account == id else { return Remedy(name: name, account: account, after: world) }
        if let member = member(id), choice(.resetPassword, member) != .none {
            world.now += 1
            return world.resettingOnPage(id, "\(name), again on the page")
        }
        let links = world.codes.filter { code in
            guard code.account == id, code.createdAt == time, code.mailbox == .owner,
                case .removal(.identity(let person)) = code.kind
            else { return false }
            return person.isIntruder
        }
        world.now += 1
        for link in links where world.codes.contains(link) {
            guard world.use(link, selecting: []) != nil, let member = world.member(id) else { continue }
            world.reset(member, selecting: world.foreignProviders(of: id))
            world.now += 1
        }
        return Remedy(name: name, account: id, after: world)
    }

    /// `nil` if the page neither offers a new account nor lists an identity that the owner did not add.
    private func confirmingOnPage(_ member: Member) -> Remedy? {
        var world = self
        if choice(.verifyEmail, member).createsAccount(isChosen: true) {
            let id = world.createAccount(inPlaceOf: member, setsPassword: true)
            return Remedy(name: "new account on the page that confirms", account: id, after: world)
        }
        let foreign = foreignProviders(of: member.id)
        guard !foreign.isEmpty else { return nil }
        world.apply(.verifying(account(member), removing: MethodSelection(providers: foreign)))
        return world.resettingOnPage(member.id, "confirmation on the page")
    }

    /// The ways by which the intruder gets into an account, or keeps the owner out of it.
    func waysIn(_ id: Int) -> [String] {
        guard let member = member(id) else { return [] }
        var ways: [String] = []
        if sessions.contains(id) { ways.append("session") }
        if member.passwordIsKnown { ways.append("password") }
        if member.mailbox == .intruder { ways.append("mailbox") }
        // A reset keeps factors. Then the owner needs the link that removes the intruder's.
        let canRemoveFactor = codes.contains {
            $0.account == id && $0.mailbox == .owner && $0.kind == .removal(.factor)
        }
        if member.factorIsKnown, !canRemoveFactor { ways.append("factor") }
        ways += member.identities.filter(\.person.isIntruder).map { "\($0.person)" }
        ways += codes.filter { $0.account == id && $0.mailbox == .intruder && !$0.isUndo }.map { "\($0)" }
        return ways
    }
}
