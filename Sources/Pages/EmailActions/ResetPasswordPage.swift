internal import HTML
public import Identity

/// A project's requirements for a new password, in words and for password managers.
public struct PasswordRules: Sendable {
    let minimumLength: Int
    let requirements: [PasswordRequirement]

    public init(_ policy: Policy) {
        let policy = policy.passwordPolicy.effective
        minimumLength = policy.minimumLength
        let classes: [(Bool, PasswordRequirement)] = [
            (policy.requiresLowercase, .lowercase), (policy.requiresUppercase, .uppercase),
            (policy.requiresDigit, .digit), (policy.requiresSymbol, .symbol),
        ]
        requirements = [.minimumLength(policy.minimumLength)] + classes.filter(\.0).map(\.1)
    }

    /// Value of the attribute `passwordrules` (Apple's Password AutoFill rules).
    var attribute: String {
        (["minlength: \(minimumLength);"] + requirements.compactMap(\.rule)).joined(separator: " ")
    }
}

extension Page {
    /// What an emailed link has just done, after which the user sets a new password.
    public enum Remedy: Sendable {
        /// The address was restored.
        case recovered(EmailAddress)
        /// The sign-in method was removed, with all that were added after it.
        case removed(SignInMethodName)
        /// A merge was undone.
        case undone
        /// The address was confirmed, and ways to sign in that the user did not add were removed.
        case confirmed(EmailAddress)
        /// The user has a new account with the address, because the account that had it may not be theirs.
        case accountCreated(EmailAddress)
    }

    /// Asks for a new password.
    ///
    /// - Parameters:
    ///   - missing: requirements that the submitted password does not meet; empty if no password was submitted.
    ///   - removable: sign-in methods that the owner may remove with the reset.
    ///   - removed: those that the reset removes in any case.
    ///   - choice: whether the user gets a new account.
    ///   - remedy: what the link has just done; `nil` if the user opened the link of a password reset.
    public static func resetPassword(
        of email: EmailAddress, _ rules: PasswordRules, missing: [PasswordRequirement] = [],
        removable: [ListedMethod], removed: [SignInMethodName] = [], _ choice: NewAccountChoice,
        after remedy: Remedy? = nil,
        _ form: CodeForm, _ context: Context
    ) -> Page {
        let alert = context.problem(
            .page(.unsuitablePassword), with: .password, [context.list(missing.map(\.label))])
        let address: [Attribute] = [
            .id(.address), .name(CodeForm.Field.username.rawValue), .type("email"), .autocomplete("username"),
            .readonly, .value(email.rawValue),
        ]
        let password: [Attribute] = [
            .id(.password), .name(CodeForm.Field.newPassword.rawValue), .type("password"),
            .autocomplete("new-password"), .required, .minlength(rules.minimumLength), .passwordRules(rules.attribute),
            .describedBy(missing.isEmpty ? [.passwordRules] : [.problem, .passwordRules]),
        ]
        let requirements = rules.requirements.map { Markup(.li, context.words($0.label)) }
        let fields = [
            context.label(.page(.emailAddress), for: .address), .void(.input, address),
            context.label(.action(.newPassword), for: .password),
            .void(.input, password + (missing.isEmpty ? [] : [.invalid])),
            Markup(.ul, [.id(.passwordRules), .classes(.note)], requirements),
        ]
        let others = context.checkboxes(for: removable, .action(.otherMethods), .action(.otherMethodsExplanation))
        return Page(
            context, .action(.resetPassword),
            (remedy.map { [context.notice(of: $0)] } ?? []) + (missing.isEmpty ? [] : [alert]) + [
                form.markup(
                    in: context,
                    fields + context.removal(.resetRemoves, of: removed) + others + context.newAccountCheckbox(choice)
                        + [context.button(.action(.savePassword))]),
                context.note(.action(.resetPasswordNote)),
            ])
    }

    /// - Parameters:
    ///   - removed: the sign-in methods that the reset has removed.
    ///   - visit: the visit of the sign-in page in which the user requested the reset.
    public static func passwordReset(
        of email: EmailAddress, removed: [SignInMethodName] = [], continuing url: ContinueURL?,
        or visit: SignInPageReturn? = nil, _ context: Context
    ) -> Page {
        let next =
            visit.map { [context.link(.page(.continueToApp), to: .signInPage($0))] }
            ?? context.continueLinkOrAdvice(to: url)
        return Page(
            context, .action(.passwordReset),
            [context.details(of: email), context.paragraph(.action(.passwordResetAdvice))]
                + context.removal(.resetRemoved, of: removed) + next)
    }
}

extension Page.Context {
    /// What a reset removes; empty if it removes nothing.
    fileprivate func removal(_ key: EmailActionText, of methods: [SignInMethodName]) -> [Markup] {
        guard !methods.isEmpty else { return [] }
        return [paragraph(.action(key, [.methods: .list(methods.map(\.label))]))]
    }

    fileprivate func notice(of remedy: Page.Remedy) -> Markup {
        let text: Text =
            switch remedy {
            case .recovered(let email): .action(.recoveredThenPassword, [.email: .name(email.rawValue)])
            case .removed(let name): .action(.removedThenPassword, [.method: .text(name.label)])
            case .confirmed(let email): .action(.confirmedThenPassword, [.email: .name(email.rawValue)])
            case .accountCreated(let email): .action(.createdThenPassword, [.email: .name(email.rawValue)])
            case .undone: .action(.undoneThenPassword)
            }
        return Markup(.p, [.role("status"), .classes(.done)], words(text))
    }
}

extension PasswordRequirement {
    var label: Text {
        switch self {
        case .minimumLength(let length): .action(.minimumLength, [.count: .count(length)])
        case .maximumLength(let length): .action(.maximumLength, [.count: .count(length)])
        case .lowercase: .action(.lowercase)
        case .uppercase: .action(.uppercase)
        case .digit: .action(.digit)
        case .symbol: .action(.symbol)
        case .notBreached: .action(.notBreached)
        }
    }

    /// The rule for the attribute `passwordrules`; `nil` if the attribute has no rule for the requirement.
    fileprivate var rule: String? {
        switch self {
        case .minimumLength, .maximumLength, .notBreached: nil
        case .lowercase: "required: lower;"
        case .uppercase: "required: upper;"
        case .digit: "required: digit;"
        case .symbol: "required: special;"
        }
    }
}
