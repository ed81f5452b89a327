internal import HTML
public import Identity

extension Page {
    /// The page of a sign-in link that was opened in a browser instead of the app.
    ///
    /// - Parameter link: the link that opens the app, which redeems the code; `nil` if the URL of the page has no
    ///   continue URL at an authorized domain.
    public static func signIn(_ email: EmailAddress, _ link: ActionLink?, _ context: Context) -> Page {
        Page(
            context, .action(.signIn),
            [
                context.paragraph(.action(.signInIntroduction)), context.details(of: email),
                link.map { context.link(.action(.continueInApp), to: .app($0)) }
                    ?? context.paragraph(.action(.signInWithoutLink)),
                context.note(.action(.signInNote)),
            ])
    }
}
