internal import Encoding
internal import HTML
internal import JSON

extension AccountScreen {
    /// The passkeys and second factors of the account, with forms that remove them.
    static func factorBlocks(_ account: AccountSummary, _ context: ScreenContext) -> [ScreenBlock] {
        let passkeys = account.passkeys.map { passkey in
            ScreenBlock.section(
                passkey.name,
                [
                    .markup(
                        .details([
                            ("Created", time(passkey.createdAt, context)),
                            ("Last used", time(passkey.lastUsedAt, context)),
                        ])),
                    .details("Remove", [.form(removalForm(of: passkey, account, context))]),
                ])
        }
        let factors = account.factors.map { factor in
            Markup(.li, [.isolated(factor.name), .text(", since "), time(factor.enrolledAt, context)])
        }
        guard !factors.isEmpty || !passkeys.isEmpty else {
            return [.paragraph("The account has neither a passkey nor a second factor.")]
        }
        let list: [ScreenBlock] =
            factors.isEmpty
            ? []
            : [
                .section(
                    "Second factors",
                    [
                        .markup(Markup(.ul, factors)),
                        .details("Remove all second factors", [.form(removalForm(account, context))]),
                    ])
            ]
        return passkeys + list
    }

    private static func time(_ text: String?, _ context: ScreenContext) -> Markup {
        guard let text, let microseconds = RFC3339.microsecondsSince1970(text) else { return .text("never") }
        return .time(microseconds / 1000, now: context.now)
    }

    private static let confirmation = FormField(
        "confirmed", "You have made sure that the user asks for it", .checkbox, isRequired: true)

    private static func removalForm(
        of passkey: AccountSummary.Passkey, _ account: AccountSummary, _ context: ScreenContext
    ) -> Form {
        Form(
            "passkey-\(passkey.id.shortened(to: 40))", button: "Remove the passkey", [confirmation],
            scopes: ["users.link"], isDangerous: true, notice: "The passkey was removed."
        ) { _ in
            try update(account, ["deletePasskey": .array([.string(passkey.id)])], context)
        }
    }

    private static func removalForm(_ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "factors", button: "Remove all second factors", [confirmation], scopes: ["users.link"],
            isDangerous: true, notice: "The second factors were removed."
        ) { _ in
            try update(account, ["mfa": .object(["enrollments": .array([])])], context)
        }
    }
}
