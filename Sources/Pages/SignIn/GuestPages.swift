internal import HTML
public import Identity

extension Page {
    /// Asks a guest whether the guest account gets an identity.
    ///
    /// - Parameter provider: the name of the provider of the identity.
    public static func upgradeGuest(
        _ preview: GuestPreview, provider: String, _ step: SignInStep, _ context: Context
    ) -> Page {
        upgradeGuest(preview, context.paragraph(.upgradeProvider, [.provider: .name(provider)]), step, context)
    }

    /// Asks a guest whether the guest account gets an address.
    public static func upgradeGuest(
        _ preview: GuestPreview, address: EmailAddress, _ step: SignInStep, _ context: Context
    ) -> Page {
        upgradeGuest(preview, context.paragraph(.upgradeEmail, [.email: .name(address.rawValue)]), step, context)
    }

    private static func upgradeGuest(
        _ preview: GuestPreview, _ method: Markup, _ step: SignInStep, _ context: Context
    ) -> Page {
        titled(
            .upgradeTitle, step,
            context.summary(of: step) + [method, context.paragraph(.upgradeKeeps)]
                + context.answers(to: preview, .confirm, step), context)
    }

    /// Asks a guest whether the guest account becomes part of the account to which the user has signed in.
    public static func mergeGuest(
        _ merge: GuestMerge, of preview: GuestPreview, _ step: SignInStep, _ context: Context
    ) -> Page {
        let account = merge.name.map { [context.paragraph(.subject, [.name: .name($0)])] } ?? []
        let values =
            merge.moved.map(\.movedText) + merge.lost.map(\.lostText)
            + (merge.losesClaims ? [context.localized(.mergeLosesRights)] : [])
        let list = values.isEmpty ? [] : [context.list(values)]
        return titled(
            .conflictTitle, step,
            context.summary(of: step) + account + [context.paragraph(.mergeExplanation)] + list + [
                context.paragraph(.mergeData), context.paragraph(.mergeUndo),
            ] + context.answers(to: preview, .mergeConfirm, step), context)
    }
}

extension Page.Context {
    fileprivate func answers(to preview: GuestPreview, _ label: SignInPageText, _ step: SignInStep) -> [Markup] {
        [
            step.form(.confirm, [.hidden(.preview, preview.id), button(localized(label))]),
            actionButton(.notNow, localized(.otherAccount)),
            footer([], step),
        ]
    }
}

extension GuestMerge.Value {
    fileprivate var movedText: Text {
        switch self {
        case .name(let name): Text(SignInPageText.mergeMovesName, [.name: .name(name)])
        case .photo: Text(SignInPageText.mergeMovesPhoto)
        }
    }

    fileprivate var lostText: Text {
        switch self {
        case .name(let name): Text(SignInPageText.mergeLosesName, [.name: .name(name)])
        case .photo: Text(SignInPageText.mergeLosesPhoto)
        }
    }
}
