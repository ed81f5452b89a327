internal import HTML
public import Identity

extension Page {
    /// Asks the owner of an account that was merged into another one whether to undo the merge.
    ///
    /// - Parameters:
    ///   - email: the address of the account to restore.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    public static func undoMerge(of email: EmailAddress, setsPassword: Bool, _ form: CodeForm, _ context: Context)
        -> Page
    {
        let consequences: [Text] = [.action(.undoMergeOwnAccount), .action(.undoMergeOtherAccount)]
        return Page(
            context, .action(.undoMerge),
            [
                context.paragraph(.action(.undoMergeIntroduction)), context.details(of: email),
                context.paragraph(.action(.undoMergeConsequences)),
                context.list(consequences + (setsPassword ? [.action(.setsPasswordNext)] : [])),
                form.markup(in: context, [context.button(.action(.undoMergeButton))]),
                context.note(.action(.undoMergeNote)),
            ])
    }

    /// Announces that a merge was undone. Shown if the user cannot set a new password next.
    ///
    /// - Parameter email: the address of the restored account; `nil` if the account has none, because another account
    ///   now uses the address.
    public static func mergeUndone(_ email: EmailAddress?, continuing url: ContinueURL?, _ context: Context) -> Page {
        let outcome =
            email.map { context.details(of: $0) } ?? context.paragraph(.action(.mergeUndoneAddressTaken))
        return Page(context, .action(.mergeUndone), [outcome] + context.continueLinkOrAdvice(to: url))
    }
}
