internal import Identity
internal import Pages

/// The texts of an email in one language. They contain the names of the project and of providers, but nothing that a
/// user entered. A project can configure another subject and ``CustomTexts``.
struct EmailTexts: Hashable {
    var subject: String
    /// The paragraphs before the links.
    var paragraphs: [String]
    /// The code to enter, after the paragraphs; `nil` if the email has none.
    var code: String?
    /// Labels of the links, in the order of the links.
    var linkLabels: [String]
    /// The paragraphs after the links.
    var advice: [String]
    /// The sentence between a button and its URL in the HTML, for recipients whose button does not work.
    var buttonFallback: String

    /// - Parameter custom: the texts of the project, which replace built-in ones.
    init(_ values: EmailTextValues, in language: Language, replacedBy custom: CustomTexts = CustomTexts()) {
        let content = EmailContent(values)
        let placeholders = values.placeholders
        let string = { (key: EmailText) in Text(key, placeholders, customTexts: custom).string(in: language) }
        subject = string(content.subject)
        paragraphs = content.paragraphs.map(string)
        code = values.code
        linkLabels = content.links.map(string) + values.removable.map { $0.removalLabel.string(in: language) }
        advice = content.advice.map(string)
        buttonFallback = string(.buttonFallback)
    }
}

/// The values from which the ``EmailTexts`` of an email are composed.
struct EmailTextValues: Hashable {
    let kind: OutgoingEmail.Kind
    /// The display name of the project, which recipients know as the name of the app.
    let projectName: String
    /// The sign-in method that was added or removed.
    let method: SignInMethodName
    /// Whether the app of a deleted account is still connected with the Apple Account.
    let staysConnectedToApple: Bool
    /// Whether the owner of another mailbox can take the account back.
    let hasEarlierMailbox: Bool
    /// Whether a new password removes the passkeys and identities of the account; see
    /// ``Policy/resetUnlinksIdentities``.
    let resetRemovesMethods: Bool
    /// The sign-in methods of the account, after a merge or in answer to a sign-up; those that a reset has removed.
    let methods: [SignInMethodName]
    /// The code to enter on the sign-in page; `nil` if the email has none.
    let code: String?
    /// Whether the email confirms the address of a guest who keeps the account.
    let keepsGuest: Bool
    /// Whether the email has a link besides those for ``removable``.
    let hasLink: Bool
    /// How long the links are valid after the request, the change or the merge that caused the email.
    let lifetime: HumanDuration
    /// What the reader is invited to, if the email lets an invited person set a password.
    let invitation: EmailPayload.ConsoleInvitation?
    /// The sign-in methods for which the email has a removal link, in the order of the links.
    let removable: [SignInMethodName]
}

extension EmailTextValues {
    fileprivate var placeholders: [Placeholder: TextValue] {
        var values: [Placeholder: TextValue] = [
            .app: .name(projectName), .method: .text(method.label), .methods: .list(methods.map(\.label)),
            .duration: .text(lifetime.text),
        ]
        if let invitation {
            values[.role] = .name(invitation.role.rawValue)
            if let project = invitation.project { values[.project] = .name(project.rawValue) }
        }
        // The label of a link that removes a provider's identity names the provider.
        if case .named(let name) = method { values[.provider] = .name(name) }
        return values
    }
}

extension SignInMethodName {
    /// Label of the link that removes the method.
    fileprivate var removalLabel: Text {
        guard case .named(let name) = self else { return Text(removalKey) }
        return Text(removalKey, [.provider: .name(name)])
    }
}

/// A duration as an email states it. Whole days, at least two, are stated in days. Other durations are stated in hours
/// if they are whole hours or at least ten hours, and otherwise in minutes. The number is rounded down, but at least 1.
enum HumanDuration: Hashable {
    case minutes(Int64)
    case hours(Int64)
    case days(Int64)

    init(_ duration: Duration) {
        let minutes = max(1, duration.components.seconds / 60)
        self =
            switch minutes {
            case let minutes where minutes >= 2 * 1440 && minutes % 1440 == 0: .days(minutes / 1440)
            case let minutes where minutes % 60 == 0 || minutes >= 600: .hours(minutes / 60)
            default: .minutes(minutes)
            }
    }
}

extension HumanDuration {
    fileprivate var text: Text {
        switch self {
        case .minutes(let count): Text(EmailText.minutes, [.count: .count(Int(count))])
        case .hours(let count): Text(EmailText.hours, [.count: .count(Int(count))])
        case .days(let count): Text(EmailText.days, [.count: .count(Int(count))])
        }
    }
}
