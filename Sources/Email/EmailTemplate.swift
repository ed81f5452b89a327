internal import Identity

/// What a letter says, in one language. Made of our own words, a project's name and a provider's: of nothing that a
/// user typed.
struct EmailTemplate: Hashable {
    var subject: String
    /// Before the link.
    var paragraphs: [String]
    /// What the links are called, in their order.
    var actions: [String]
    /// After the links.
    var advice: [String]
    /// Says that the link stands below as text.
    var plainLink: String

    init(_ facts: TemplateValues, in language: Language) {
        self =
            switch language {
            case .english: .english(facts)
            case .japanese: .japanese(facts)
            }
    }

    init(subject: String, paragraphs: [String], actions: [String], advice: [String], plainLink: String) {
        self.subject = subject
        self.paragraphs = paragraphs
        self.actions = actions
        self.advice = advice
        self.plainLink = plainLink
    }
}

/// What a wording depends on.
struct TemplateValues: Hashable {
    let kind: OutgoingEmail.Kind
    /// Of the project.
    let app: String
    /// What was linked or unlinked.
    let method: SignInMethodName
    /// The sign-in methods that the account has after a merge.
    let methods: [SignInMethodName]
    let hasLink: Bool
    /// Of the link, from the moment that it was asked for.
    let lifetime: HumanDuration
    /// What links in it remove, in their order.
    let removable: [SignInMethodName]
}

/// A duration in whole units, never longer than it is.
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
