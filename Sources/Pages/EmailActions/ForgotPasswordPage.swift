internal import HTML
public import Identity

extension Page {
    /// Asks for the email address of an account whose password is to be reset.
    ///
    /// - Parameters:
    ///   - isInvalid: whether the submitted text is not an email address.
    ///   - removesMethods: whether a reset removes passkeys and linked services.
    public static func forgotPassword(
        isInvalid: Bool = false, removesMethods: Bool = false, _ context: Context
    ) -> Page {
        let alert = context.problem(.action(.invalidAddress), with: .address)
        let address: [Attribute] = [
            .id(.address), .name(CodeForm.Field.email.rawValue), .type("email"), .autocomplete("username"), .required,
            .maxlength(254),
        ]
        return Page(
            context, .action(.forgotPassword),
            [context.paragraph(.action(.forgotPasswordIntroduction))]
                + (removesMethods ? [context.paragraph(.action(.resetRemovesMethods))] : [])
                + (isInvalid ? [alert] : []) + [
                    Markup(
                        .form, [.post, .action(.forgotPasswordPage)],
                        [Markup.hidden(.language, context.language.rawValue)].compactMap(\.self) + [
                            context.label(.page(.emailAddress), for: .address),
                            .void(
                                .input,
                                address + (isInvalid ? [.invalid, .describedBy([.problem])] : [])),
                            context.button(.action(.sendEmail)),
                        ])
                ])
    }

    /// Announces an email with a link for a password reset. The page is the same whether or not an account has the
    /// address.
    public static func resetRequested(to email: EmailAddress, _ context: Context) -> Page {
        Page(
            context, .action(.resetRequested),
            [
                context.details(of: email), context.paragraph(.action(.resetRequestedExplanation)),
                context.paragraph(.action(.resetRequestedAdvice)),
            ])
    }
}
