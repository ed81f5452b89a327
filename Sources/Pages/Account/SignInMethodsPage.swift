internal import HTML
public import Identity

/// What the user can add to the account.
public struct AddableMethods: Sendable {
    /// Whether there is an identity of a provider to add.
    public var service = false
    public var password = false
    public var phone = false
    public var passkey = false
    public var oneTimePassword = false
    public var recoveryCodes = false

    public init() {}
}

extension Page {
    /// Lists the ways to sign in to the account, and what can be added.
    public static func signInMethods(
        _ methods: [AccountMethod], recoveryCodes: SecondFactors.RecoveryCodes?, adding addable: AddableMethods,
        _ frame: AccountFrame
    ) -> Page {
        let ways = methods.filter { !$0.reference.isFactor }
        let factors = methods.filter(\.reference.isFactor)
        let secondStep =
            factors.map(frame.section) + frame.recoveryCodes(recoveryCodes, addable)
            + (addable.oneTimePassword ? [frame.link(.addAuthenticator, to: .authenticator)] : [])
        return frame.page(
            .waysToSignIn,
            ways.map(frame.section) + frame.additions(addable)
                + (secondStep.isEmpty ? [] : [Markup(.h2, frame.markup(.secondFactors))] + secondStep))
    }

    /// Asks whether to remove a way to sign in or a second factor.
    public static func removeMethod(_ method: AccountMethod, _ frame: AccountFrame) -> Page {
        let consequences: [AccountPageText] =
            switch method.reference {
            case .factor: [.removeFactorConsequence]
            case .passkey, .provider(.phone): [.removeConsequence]
            case .provider: [.removeConsequence, .removeAddressConsequence]
            }
        let name: [Placeholder: TextValue] = [.method: .text(method.name.label)]
        return frame.page(
            frame.text(.removeTitle, name),
            [
                frame.facts(about: method), frame.list(consequences),
                frame.form(nil, [(.method, method.reference.text)], [frame.button(.remove)]),
                frame.link(.keepIt, to: .methods),
            ])
    }

    /// States that the account would lose its last way to sign in.
    public static func lastWayToSignIn(_ frame: AccountFrame) -> Page {
        frame.page(.lastWayTitle, [frame.paragraph(.lastWayAdvice), frame.link(.waysToSignIn, to: .methods)])
    }
}

extension AccountFrame {
    fileprivate func section(_ method: AccountMethod) -> Markup {
        let removal =
            method.isRemovable
            ? [
                Markup(
                    .a,
                    [
                        .classes(.button, .quiet), .label(string(.removeNamed, [.method: .text(method.name.label)])),
                        .href(.account(.remove, from: path, query: method.reference.query)),
                    ], markup(.remove))
            ] : method.isSuspended ? [note(.suspended)] : [note(.onlyWay)]
        let unusable = method.isUsable || method.isSuspended ? [] : [note(.notAccepted)]
        let change =
            method.reference == .provider(.password) ? [link(.changePassword, to: .password)] : renaming(method)
        return section(method.name.label.markup(in: language), [facts(about: method)] + unusable + change + removal)
    }

    private func renaming(_ method: AccountMethod) -> [Markup] {
        guard case .passkey = method.reference else { return [] }
        return [
            Markup(
                .a,
                [
                    .classes(.button, .quiet),
                    .label(string(.renameNamed, [.name: .name(method.detail ?? "")])),
                    .href(.account(.rename, from: path, query: method.reference.query)),
                ], markup(.rename))
        ]
    }

    fileprivate func facts(about method: AccountMethod) -> Markup {
        var facts: [(name: AccountPageText, value: [Markup])] = []
        if method.isHiddenAddress { facts.append((.emailAddress, markup(.hiddenAddress))) }
        if let detail = method.detail {
            let isAddress = detail.utf8.contains(UInt8(ascii: "@"))
            facts.append((isAddress ? .emailAddress : .name, [.isolated(detail)]))
        }
        if let addedAt = method.addedAt { facts.append((.added, [time(addedAt)])) }
        if let lastUsedAt = method.lastUsedAt { facts.append((.lastUsed, [time(lastUsedAt)])) }
        if let userAgent = method.userAgent {
            facts.append((.addedFrom, DeviceDescription.text(userAgent: userAgent).markup(in: language)))
        }
        return details(facts)
    }

    fileprivate func recoveryCodes(
        _ codes: SecondFactors.RecoveryCodes?, _ addable: AddableMethods
    ) -> [Markup] {
        guard addable.recoveryCodes else { return [] }
        let left = note(.recoveryCodesLeft, [.count: .count(codes?.remaining ?? 0)])
        return [section(markup(.recoveryCodes), [left, link(.newRecoveryCodes, to: .recoveryCodes)])]
    }

    fileprivate func additions(_ addable: AddableMethods) -> [Markup] {
        (addable.service ? [link(.addService, to: .add)] : [])
            + (addable.passkey ? [link(.addPasskey, to: .passkey)] : [])
            + (addable.password ? [link(.addPassword, to: .password)] : [])
            + (addable.phone ? [link(.addPhone, to: .phone)] : [])
    }
}
