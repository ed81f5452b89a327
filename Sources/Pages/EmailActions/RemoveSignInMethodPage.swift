internal import HTML
public import Identity

extension Page {
    /// Asks whether to remove a sign-in method that was added to an account.
    ///
    /// - Parameters:
    ///   - userAgent: of the device that added the method, if it is known and the method is still linked.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    public static func removeSignInMethod(
        _ method: AddedSignInMethod, named name: SignInMethodName, userAgent: String?, of email: EmailAddress,
        setsPassword: Bool, _ form: CodeForm, _ context: Context
    ) -> Page {
        removal(
            .action(.removeMethod), .action(.removeMethodIntroduction),
            details: context.details(of: method, name, userAgent: userAgent),
            consequences: [.action(.removeMethodMethods)], of: email, setsPassword: setsPassword, form, context)
    }

    /// Asks whether to remove what was added to an account.
    ///
    /// - Parameters:
    ///   - consequences: those of this removal; those of every removal follow them.
    ///   - email: the address to which the account goes back.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    static func removal(
        _ title: Text, _ introduction: Text, details: Markup, consequences: [Text], of email: EmailAddress,
        setsPassword: Bool, _ form: CodeForm, _ context: Context
    ) -> Page {
        let ofEveryRemoval: [Text] = [
            .action(.removalPassword), .action(.removalAddress, [.email: .name(email.rawValue)]),
            .page(.signsOutEverywhere),
        ]
        return Page(
            context, title,
            [
                context.paragraph(introduction), details, context.paragraph(.action(.removalConsequences)),
                context.list(consequences + ofEveryRemoval + (setsPassword ? [.action(.setsPasswordNext)] : [])),
                form.markup(in: context, [context.button(.action(.remove))]),
                context.note(.action(.removalNote)),
            ])
    }

    /// Announces that a sign-in method was removed. Shown if the user cannot set a new password next.
    ///
    /// - Parameter takenEmail: the address that the account would have got back; `nil` unless another account has it
    ///   now.
    public static func signInMethodRemoved(_ name: SignInMethodName, takenEmail: EmailAddress?, _ context: Context)
        -> Page
    {
        let taken = takenEmail.map {
            [context.details(of: $0), context.paragraph(.action(.methodRemovedAddressTaken))]
        }
        return Page(
            context, .action(.removed),
            [context.paragraph(.action(.methodRemoved, [.method: .text(name.label)]))]
                + (taken ?? context.continueLinkOrAdvice(to: nil)))
    }
}
