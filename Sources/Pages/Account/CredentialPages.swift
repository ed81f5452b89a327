internal import HTML
public import Identity

extension Page {
    /// Asks for a new email address, which its mailbox confirms.
    ///
    /// - Parameters:
    ///   - submitted: the rejected address; `nil` before the first submission.
    ///   - problem: why it was rejected.
    public static func changeEmail(
        of account: Account, submitted: String? = nil, problem: EmailProblem? = nil, _ frame: AccountFrame
    ) -> Page {
        let current = account.email.map { email in
            [frame.details([(.emailAddress, [.isolated(email.rawValue)])])]
        }
        let confirmation = account.email.flatMap { email in
            account.emailIsVerified
                ? nil
                : frame.form(
                    .sendVerification, [],
                    [frame.button(.confirmEmail, [.email: .name(email.rawValue)], isSecondary: true)])
        }
        let alert = problem.map { [frame.problem($0.text)] } ?? []
        return frame.page(
            .changeEmail,
            alert + (current ?? []) + [
                frame.form(
                    nil, [],
                    frame.field(
                        .newEmail, .address, .email,
                        [.type("email"), .autocomplete("email"), .required, .maxlength(254)]
                            + (submitted.map { [.value($0)] } ?? []), describedBy: [.hint],
                        isInvalid: problem != nil)
                        + [
                            Markup(.p, [.id(.hint), .classes(.note)], frame.markup(.changeEmailHow)),
                            frame.button(.sendLink),
                        ])
            ] + [confirmation].compactMap(\.self))
    }

    /// Why a new address was rejected.
    public enum EmailProblem: Sendable {
        case invalid, taken, notAllowed

        fileprivate var text: AccountPageText {
            switch self {
            case .invalid: .emailInvalid
            case .taken: .linkTaken
            case .notAllowed: .notAvailable
            }
        }
    }

    /// Asks for a new password.
    ///
    /// - Parameters:
    ///   - missing: the requirements that the submitted password does not meet; empty before the first submission.
    public static func accountPassword(
        of account: Account, _ rules: PasswordRules, missing: [PasswordRequirement] = [], _ frame: AccountFrame
    ) -> Page {
        frame.page(
            account.hasPassword ? .changePassword : .setPassword,
            frame.passwordForm(of: account, rules, missing, submit: .savePassword)
                + [frame.note(.passwordSignsOut)])
    }

    /// Asks the user who did not recognise an activity to secure the account.
    ///
    /// - Parameter rules: `nil` if the account cannot have a password.
    public static func secureAccount(
        _ account: Account, _ rules: PasswordRules?, missing: [PasswordRequirement] = [], _ frame: AccountFrame
    ) -> Page {
        let form =
            rules.map { frame.passwordForm(of: account, $0, missing, submit: .secureButton) }
            ?? [frame.form(nil, [], [frame.button(.secureButton)])]
        return frame.page(
            .secureTitle,
            [frame.paragraph(rules == nil ? .secureWithoutPassword : .secureWithPassword)] + form
                + [frame.note(.secureMethods), frame.link(.waysToSignIn, to: .methods)])
    }

    /// Asks for the name.
    ///
    /// - Parameter rejected: the submitted name; `nil` before the first submission.
    public static func profile(_ displayName: String?, rejected: RejectedName? = nil, _ frame: AccountFrame) -> Page {
        let alert = rejected.map { [frame.problem($0.hasControls ? .nameHasControls : .nameTooLong)] } ?? []
        return frame.page(
            .profile,
            alert + [
                frame.form(
                    nil, [],
                    frame.field(
                        .displayName, .nameField, .displayName,
                        [.type("text"), .autocomplete("name"), .maxlength(RejectedName.lengthLimit)]
                            + [.value(rejected?.shown ?? displayName ?? "")], describedBy: [.hint],
                        isInvalid: rejected != nil)
                        + [
                            Markup(.p, [.id(.hint), .classes(.note)], frame.markup(.nameHint)),
                            frame.button(.saveProfile),
                        ])
            ])
    }
}

extension AccountFrame {
    /// - Parameter missing: the requirements that the submitted password does not meet.
    fileprivate func passwordForm(
        of account: Account, _ rules: PasswordRules, _ missing: [PasswordRequirement], submit: AccountPageText
    ) -> [Markup] {
        let alert = problem([
            context.paragraph(.page(.unsuitablePassword)),
            Markup(.ul, missing.map { Markup(.li, $0.label.markup(in: language)) }),
        ])
        let address = account.email.map { email in
            [
                Markup(.label, [.for(.address)], markup(.emailAddress)),
                .void(
                    .input,
                    [
                        .id(.address), .name(AccountField.username.rawValue), .type("email"),
                        .autocomplete("username"), .readonly, .value(email.rawValue),
                    ]),
            ]
        }
        let requirements = rules.requirements.map { Markup(.li, $0.label.markup(in: language)) }
        return (missing.isEmpty ? [] : [alert]) + [
            form(
                nil, [],
                (address ?? [])
                    + field(
                        .newPassword, .password, .newPassword,
                        [
                            .type("password"), .autocomplete("new-password"), .required,
                            .minlength(rules.minimumLength), .passwordRules(rules.attribute),
                        ], describedBy: [.passwordRules], isInvalid: !missing.isEmpty)
                    + [
                        Markup(.ul, [.id(.passwordRules), .classes(.note)], requirements),
                        button(submit),
                    ])
        ]
    }
}
