internal import HTML
public import Identity

extension Page {
    /// Asks whether to restore an address that was replaced.
    ///
    /// - Parameters:
    ///   - newEmail: the address that replaced `email`, if it is known.
    ///   - removable: sign-in methods that the owner may remove as well.
    public static func recoverEmail(
        to email: EmailAddress, from newEmail: EmailAddress?, removable: [ListedMethod],
        _ form: CodeForm, _ context: Context
    ) -> Page {
        let replacement =
            newEmail.map { [(name: Text.action(.replacementAddress), value: [Markup.isolated($0.rawValue)])] } ?? []
        return Page(
            context, .action(.recoverEmail),
            [
                context.paragraph(.action(.recoverEmailIntroduction)),
                context.details([(.action(.earlierAddress), [.isolated(email.rawValue)])] + replacement),
                context.paragraph(.action(.recoverEmailConsequences)),
                context.list([
                    .page(.signsOutEverywhere), .action(.recoverEmailPassword), .action(.recoverEmailMethods),
                ]),
                form.markup(
                    in: context,
                    context.checkboxes(
                        for: removable, .action(.methodsBeforeChange), .action(.methodsBeforeChangeExplanation))
                        + [context.button(.action(.restoreAddress))]),
                context.note(.action(.recoverEmailNote)),
            ])
    }

    /// Announces that the address was restored. Shown if the user cannot set a new password next.
    public static func emailRecovered(to email: EmailAddress, continuing url: ContinueURL?, _ context: Context) -> Page
    {
        Page(
            context, .action(.emailRecovered), [context.details(of: email)] + context.continueLinkOrAdvice(to: url))
    }
}
