internal import HTML
public import Identity

extension Page {
    /// Asks the owner of a mailbox to confirm that the account is theirs.
    ///
    /// - Parameters:
    ///   - account: the account with the address. While the address is unverified, the page offers to disavow the
    ///     account, because another user may have created it.
    ///   - methods: the ways to sign in to the account.
    ///   - removable: sign-in methods that the owner may remove.
    ///   - choice: whether the owner may have a new account instead.
    public static func verifyEmail(
        _ email: EmailAddress, of account: Account?, methods: [SignInMethodName],
        removable: [ListedMethod], _ choice: NewAccountChoice, _ form: CodeForm, _ context: Context
    ) -> Page {
        let created = account.map {
            [(name: Text.action(.accountCreated), value: [Markup.time($0.createdAt, in: context.language)])]
        }
        let disavowal = Markup(
            .section, [.labelledBy(.notYou)],
            [
                Markup(.h2, [.id(.notYou)], context.words(.action(.notYou))),
                context.paragraph(.action(.notYouExplanation)),
                form.markup(.disavow, in: context, [context.button(.action(.notMe), [.classes(.quiet)])]),
            ])
        return Page(
            context, .action(.verifyEmail),
            [
                context.paragraph(.action(.verifyEmailIntroduction)),
                context.details(
                    [(.page(.emailAddress), [.isolated(email.rawValue)])] + (created ?? [])
                        + context.detail(of: methods)),
                form.markup(
                    in: context, context.checkboxes(disowning: removable) + [context.button(.action(.confirmAddress))]),
            ] + context.newAccountSection(choice, form) + (account?.emailIsVerified == false ? [disavowal] : []))
    }

    public static func emailVerified(_ email: EmailAddress, continuing url: ContinueURL?, _ context: Context) -> Page {
        Page(
            context, .action(.emailVerified),
            [context.details(of: email)]
                + (url == nil
                    ? [context.paragraph(.action(.emailVerifiedAdvice))] : context.continueLinkOrAdvice(to: url)))
    }

    public static func emailDisavowed(_ context: Context) -> Page {
        Page(context, .action(.disavowed), [context.paragraph(.action(.disavowedExplanation))])
    }
}
