internal import HTML
public import Identity

extension Page {
    /// Asks whether to remove a second factor that was added to an account.
    ///
    /// - Parameters:
    ///   - isPhone: whether the factor is a telephone number; otherwise it is an authenticator app.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    public static func removeSecondFactor(
        addedAt: Instant, isPhone: Bool, of email: EmailAddress, setsPassword: Bool, _ form: CodeForm,
        _ context: Context
    ) -> Page {
        removal(
            .action(isPhone ? .removePhone : .removeAuthenticator),
            .action(isPhone ? .removePhoneIntroduction : .removeAuthenticatorIntroduction),
            details: context.details([(.page(.added), [.time(addedAt, in: context.language)])]),
            consequences: [
                .action(isPhone ? .removePhoneConsequence : .removeAuthenticatorConsequence),
                .action(.removeFactorMethods),
            ], of: email, setsPassword: setsPassword, form, context)
    }
}
