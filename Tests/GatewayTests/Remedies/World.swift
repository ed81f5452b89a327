import Providers

@testable import Identity

/// A small world for an exhaustive search: the accounts of one realm, an intruder, and the owner of one mailbox.
///
/// The decisions are those of the product: ``LinkingDecision``, ``MailboxChange``, ``MergePlan``, ``MergeReversal``,
/// ``EmailFactory`` and ``MergeNotices``. What the store does in SQL with a decision is modelled in
/// `World+Store.swift`; ``WorldAgreementTests`` compares the model with the store.
///
/// No time limit is modelled. All times are ranks: two worlds whose events happened in the same order are equal.
struct World: Hashable {
    // Without raw values, which would make hashing slow.
    enum Mailbox: CaseIterable {
        case owner, intruder

        var address: EmailAddress { self == .owner ? Self.ownerAddress : Self.intruderAddress }

        var text: String { address.rawValue }

        private static let ownerAddress = EmailAddress("ada@example.com")!
        private static let intruderAddress = EmailAddress("eve@example.com")!

        init?(_ address: EmailAddress?) {
            guard let address else { return nil }
            self = address == Self.ownerAddress ? .owner : .intruder
        }
    }

    /// A user's account at a provider.
    enum Person: CaseIterable {
        /// Google has verified the intruder's address, but is not authoritative for it.
        case intruderGoogle
        case intruderApple
        /// Google states the owner's address, but has not verified it.
        case intruderClaim
        case ownerGoogle
        case ownerApple

        var isIntruder: Bool { self != .ownerGoogle && self != .ownerApple }
        var provider: ProviderID { self == .intruderApple || self == .ownerApple ? .apple : .google }

        var mailbox: Mailbox? {
            switch self {
            case .intruderGoogle: .intruder
            case .intruderApple: nil
            case .intruderClaim, .ownerGoogle, .ownerApple: .owner
            }
        }

        var trust: EmailTrust {
            switch self {
            case .intruderApple, .intruderClaim: .none
            case .intruderGoogle, .ownerGoogle: .verified
            case .ownerApple: .authoritative
            }
        }

        var subject: String { "\(self)" }

        init?(subject: String?) {
            guard let person = Self.allCases.first(where: { $0.subject == subject }) else { return nil }
            self = person
        }

        var verified: VerifiedIdentity { Self.identities[order] }

        func linked(at time: Int) -> LinkedIdentity {
            var identity = Self.linkedIdentities[order]
            identity.linkedAt = World.instant(time)
            return identity
        }

        var order: Int {
            switch self {
            case .intruderGoogle: 0
            case .intruderApple: 1
            case .intruderClaim: 2
            case .ownerGoogle: 3
            case .ownerApple: 4
            }
        }

        private static let identities = allCases.map { person in
            VerifiedIdentity(
                provider: person.provider, subject: person.subject, audience: "", email: person.mailbox?.address,
                emailTrust: person.trust)
        }

        private static let linkedIdentities = identities.map { LinkedIdentity($0) }
    }

    struct Member: Hashable {
        let id: Int
        var mailbox: Mailbox?
        var isVerified = false
        /// When the password was set; `nil` without a password.
        var passwordTime: Int?
        /// Whether the intruder knows the password.
        var passwordIsKnown = false
        var usesEmailLinks = false
        var identities: [Linked] = []
        /// When the second factor was enrolled; `nil` without one.
        var factorTime: Int?
        /// Whether the intruder has enrolled the second factor.
        var factorIsKnown = false
        var createdAt: Int

        /// Whether a sign-in of the intruder, or of the owner, stops because the other one has the second factor.
        func stopsSignIn(ofIntruder isIntruder: Bool) -> Bool { factorTime != nil && factorIsKnown != isIntruder }
    }

    struct Linked: Hashable {
        let person: Person
        var time: Int
    }

    /// A remedy in the mailbox to which it was sent.
    struct Code: Hashable {
        enum Kind: Hashable {
            case recovery
            case removal(Method)
            /// - Parameter source: the account that was merged into another one.
            case undo(source: Int)
        }

        enum Method: Hashable {
            case identity(Person)
            case password, emailLink, factor
        }

        let kind: Kind
        var account: Int
        let mailbox: Mailbox
        /// For a removal: when the sign-in method or the factor was added.
        var addedAt = -1
        var createdAt: Int

        var isUndo: Bool { if case .undo = kind { true } else { false } }

        /// The position of the code among all codes.
        fileprivate var order: Int {
            let kindOrder =
                switch kind {
                case .recovery: 0
                case .removal(.identity(let person)): 1 + person.order
                case .removal(.password): 6
                case .removal(.emailLink): 7
                case .removal(.factor): 8
                case .undo(let source): 9 + source
                }
            return [createdAt, addedAt + 1, mailbox == .owner ? 0 : 1, kindOrder]
                .reduce(account) { $0 * 64 + $1 }
        }
    }

    struct Merge: Hashable {
        var source: Member
        var target: Int
        /// The identities of ``source`` are those that moved.
        let movesEmail: Bool
        var mergedAt: Int
        /// The sources of earlier merges into ``source``.
        let earlier: [Int]
    }

    var members: [Member] = []
    var codes: [Code] = []
    var merges: [Merge] = []
    /// The accounts in which the intruder has a session.
    var sessions: Set<Int> = []
    var now = 1
    var nextID = 1
}

extension World {
    static let policy: Policy = {
        var policy = Policy(.sekisho)
        policy.emailEnumerationProtection = false
        policy.secondFactors.state = .enabled
        return policy
    }()

    static let context = RequestContext(
        network: ClientNetwork(prefixes: ["192.0.2.1"], knownNetworkPrefix: nil), device: nil, language: nil,
        trace: RequestTrace())

    static let emails = EmailFactory(
        newCode: { "" }, hash: { _ in [] }, emailID: { ID("") }, seal: { _, _ in [] }, actionBase: { _, _ in "" },
        appLinkBase: { _, _ in nil }, sendsEmail: true)

    func member(_ id: Int) -> Member? { members.first { $0.id == id } }

    func holder(of mailbox: Mailbox) -> Member? { members.first { $0.mailbox == mailbox } }

    func member(with person: Person) -> Member? {
        members.first { $0.identities.contains { $0.person == person } }
    }

    mutating func change(_ id: Int, _ change: (inout Member) -> Void) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        change(&members[index])
    }

    func account(_ member: Member) -> Account {
        Account(
            id: ID(String(member.id)), email: member.mailbox?.address, emailIsVerified: member.isVerified,
            passwordUpdatedAt: member.passwordTime.map { Self.instant($0) },
            identities: member.identities.map { $0.person.linked(at: $0.time) }, usesEmailLinks: member.usesEmailLinks,
            secondFactors: SecondFactors(factors: [member.factorTime.map { Self.factor($0) }].compactMap(\.self)),
            createdAt: Self.instant(member.createdAt),
            validSince: Self.instant(0))
    }

    static func factor(_ time: Int) -> Factor {
        Factor(id: ID("factor"), kind: .totp, displayName: nil, enrolledAt: instant(time))
    }

    static func instant(_ time: Int) -> Instant { Instant(seconds: Int64(time)) }

    static let endOfTime = instant(1_000_000_000)

    static func time(_ instant: Instant) -> Int { Int(instant.seconds) }

    /// The stored code.
    func stored(_ code: Code) -> OOBCode {
        var (method, purpose): (AddedSignInMethod?, OOBCode.Purpose) = (nil, .recoverEmail)
        var source: ID<Account>?
        switch code.kind {
        case .recovery: break
        case .undo(let id): (purpose, source) = (.undoMerge, ID(String(id)))
        case .removal(let removed):
            let (provider, subject): (ProviderID, String?) =
                switch removed {
                case .identity(let person): (person.provider, person.subject)
                case .password: (.password, nil)
                case .emailLink: (.emailLink, nil)
                case .factor: (.totp, "factor")
                }
            purpose = removed == .factor ? .revertFactorAddition : .removeSignInMethod
            method = AddedSignInMethod(provider: provider, subject: subject, addedAt: Self.instant(code.addedAt))
        }
        return OOBCode(
            hash: [], purpose: purpose, account: ID(String(code.account)), email: code.mailbox.address, method: method,
            source: source, createdAt: Self.instant(code.createdAt), expiresAt: Self.endOfTime)
    }

    mutating func store(_ batch: EmailBatch?) {
        for code in batch?.codes ?? [] {
            guard let mailbox = Mailbox(code.email), let account = code.account.flatMap({ Int($0.rawValue) }) else {
                continue
            }
            let kind: Code.Kind
            if let source = code.source.flatMap({ Int($0.rawValue) }) {
                kind = .undo(source: source)
            } else if let method = code.method {
                let other: Code.Method =
                    method.provider == .password ? .password : method.provider == .totp ? .factor : .emailLink
                kind = .removal(Person(subject: method.subject).map { .identity($0) } ?? other)
            } else {
                kind = .recovery
            }
            codes.append(
                Code(
                    kind: kind, account: account, mailbox: mailbox,
                    addedAt: code.method.map { Self.time($0.addedAt) } ?? -1, createdAt: Self.time(code.createdAt)))
        }
    }

    /// The world after a step: sorted, with the ranks of times instead of the times.
    func canonical() -> World {
        var world = self
        var isUsed = Array(repeating: false, count: now + 1)
        world.visitTimes { isUsed[$0] = true }
        var (ranks, count) = (Array(repeating: 0, count: now + 1), 0)
        for time in isUsed.indices where isUsed[time] {
            ranks[time] = count
            count += 1
        }
        world.visitTimes { $0 = ranks[$0] }
        world.now = count
        for index in world.members.indices where world.members[index].identities.count > 1 {
            world.members[index].identities.sort { $0.person.order < $1.person.order }
        }
        world.members.sort { $0.id < $1.id }
        if world.codes.count > 1 { world.codes = Set(world.codes).sorted { $0.order < $1.order } }
        world.merges.sort { $0.source.id < $1.source.id }
        return world
    }

    private mutating func visitTimes(_ visit: (inout Int) -> Void) {
        for index in members.indices { members[index].visitTimes(visit) }
        for index in codes.indices {
            visit(&codes[index].createdAt)
            if codes[index].addedAt >= 0 { visit(&codes[index].addedAt) }
        }
        for index in merges.indices {
            merges[index].source.visitTimes(visit)
            visit(&merges[index].mergedAt)
        }
    }
}

extension World.Member {
    fileprivate mutating func visitTimes(_ visit: (inout Int) -> Void) {
        visit(&createdAt)
        if passwordTime != nil { visit(&passwordTime!) }
        if factorTime != nil { visit(&factorTime!) }
        for index in identities.indices { visit(&identities[index].time) }
    }
}
