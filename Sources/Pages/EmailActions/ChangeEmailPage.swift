internal import HTML
public import Identity

extension Page {
    /// Asks the owner of a new address to confirm that an account uses it.
    ///
    /// - Parameters:
    ///   - old: `nil` if the account has no address.
    ///   - methods: the ways to sign in to the account.
    ///   - removable: sign-in methods that the owner may remove.
    ///   - choice: whether the owner may have a new account instead.
    public static func changeEmail(
        from old: EmailAddress?, to new: EmailAddress, methods: [SignInMethodName],
        removable: [ListedMethod], _ choice: NewAccountChoice, _ form: CodeForm, _ context: Context
    ) -> Page {
        let current = old.map { [(name: Text.action(.currentAddress), value: [Markup.isolated($0.rawValue)])] } ?? []
        return Page(
            context, .action(.changeEmail),
            [
                context.paragraph(.action(.changeEmailIntroduction)),
                context.details(
                    [(.action(.newAddress), [.isolated(new.rawValue)])] + current + context.detail(of: methods)),
                form.markup(
                    in: context, context.checkboxes(disowning: removable) + [context.button(.action(.useNewAddress))]),
                context.note(.action(.changeEmailNote)),
            ] + context.newAccountSection(choice, form, isAboutChange: old != nil))
    }

    /// - Parameter accountURL: the account page, where the change may have been requested; `nil` if the account has
    ///   none.
    public static func emailChanged(
        to new: EmailAddress, continuing url: ContinueURL?, orTo accountURL: String? = nil, _ context: Context
    ) -> Page {
        let account =
            (url == nil ? accountURL : nil).map {
                [context.link(Text(AccountPageText.account), to: .accountPage($0), isSecondary: true)]
            } ?? []
        return Page(
            context, .action(.emailChanged),
            [context.details(of: new), context.paragraph(.action(.emailChangedAdvice))]
                + context.continueLinkOrAdvice(to: url) + account)
    }
}
