internal import HTML
public import Identity

/// What the overview shows about an account.
public struct AccountOverview: Sendable {
    let email: EmailAddress?
    let emailIsVerified: Bool
    let isHiddenAddress: Bool
    let displayName: String?
    let createdAt: Instant
    let methods: [SignInMethodName]

    public init(_ account: Account, in realm: Realm) {
        email = account.email
        emailIsVerified = account.emailIsVerified
        isHiddenAddress = account.identities.contains { $0.isPrivateEmail && $0.email == account.email }
        displayName = account.displayName
        createdAt = account.createdAt
        methods = AccountMethod.all(of: account, in: realm).map(\.name)
    }
}

/// Why the sign-in page has led back without what the user wanted. The raw value is the error in the query.
public enum AccountReturnProblem: String, Sendable, CaseIterable {
    case alreadyLinked = "already_linked"
    case otherUser = "user_mismatch"

    fileprivate var text: AccountPageText {
        switch self {
        case .alreadyLinked: .serviceTaken
        case .otherUser: .otherUser
        }
    }
}

extension Page {
    /// The first page of the account page.
    ///
    /// - Parameters:
    ///   - allowsPasswords: whether the account can have a password.
    ///   - problem: `nil` if the user does not come from the sign-in page, or got what they wanted there.
    public static func account(
        _ overview: AccountOverview, allowsPasswords: Bool, problem: AccountReturnProblem? = nil, _ frame: AccountFrame
    ) -> Page {
        let parts: [(AccountPath, AccountPageText, AccountPageText)] = [
            (.methods, .waysToSignIn, .waysToSignInHint), (.email, .emailAddress, .emailAddressHint),
            (.password, .password, .passwordHint), (.profile, .profile, .profileHint),
            (.preferences, .preferences, .preferencesHint),
            (.devices, .devices, .devicesHint), (.activity, .activity, .activityHint), (.data, .data, .dataHint),
            (.delete, .deleteAccount, .deleteAccountHint),
        ].filter { allowsPasswords || $0.0 != .password }
        return frame.page(
            .account,
            (problem.map { [frame.problem($0.text)] } ?? []) + [
                frame.details(of: overview),
                Markup(
                    .nav, [.label(frame.string(.account))],
                    parts.map { path, title, hint in
                        Markup(.div, [frame.link(title, to: path), frame.note(hint)])
                    }),
                Markup(
                    .a, [.classes(.button, .quiet), .href(.signOutPage(from: frame.path))], frame.markup(.signOut)),
            ])
    }
}

extension AccountFrame {
    func details(of overview: AccountOverview) -> Markup {
        let confirmation = overview.emailIsVerified ? [] : [Markup.text(" (")] + markup(.notConfirmed) + [.text(")")]
        let hidden = overview.isHiddenAddress ? [Markup.text(" (")] + markup(.hiddenAddress) + [.text(")")] : []
        let email = overview.email.map { [.isolated($0.rawValue)] + hidden + confirmation } ?? markup(.noEmail)
        return details([
            (.emailAddress, email),
            (.name, overview.displayName.map { [.isolated($0)] } ?? markup(.noName)),
            (.memberSince, [time(overview.createdAt)]),
        ])
    }

    /// A list of names with their values.
    func details(_ details: [(name: AccountPageText, value: [Markup])]) -> Markup {
        Markup(
            .dl, [.classes(.details)],
            details.flatMap { [Markup(.dt, markup($0.name)), Markup(.dd, $0.value)] })
    }
}
