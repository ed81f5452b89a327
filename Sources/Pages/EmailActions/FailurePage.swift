public import Identity

extension Page {
    /// Why the gateway cannot do what the page is for.
    public enum Failure: Hashable, Sendable {
        case code(OOBCodeRefusal)
        case tooManyAttempts(minutes: Int)
        /// The request body is not a form of these pages.
        case malformed
        case notFound
    }

    public static func failure(_ failure: Failure, _ context: Context) -> Page {
        var page = Page(context, failure.title, [context.paragraph(failure.advice)])
        page.isFailure = true
        return page
    }

    /// Why a code was refused, with the way back to the app.
    ///
    /// - Parameter visit: the visit of the sign-in page in which the user requested the email.
    public static func codeFailure(
        _ refusal: OOBCodeRefusal, continuing url: ContinueURL?, or visit: SignInPageReturn?, _ context: Context
    ) -> Page {
        var page = failure(.code(refusal), context)
        let back = visit.map { Destination.signInPage($0) } ?? url.map { Destination.app($0) }
        if let back { page.content.append(context.link(.page(.continueToApp), to: back)) }
        return page
    }
}

extension Page.Failure {
    fileprivate var title: Text {
        switch self {
        case .code(let refusal): .action(refusal.texts.title)
        case .tooManyAttempts: .page(.tooManyAttempts)
        case .malformed: .action(.malformed)
        case .notFound: .action(.notFound)
        }
    }

    fileprivate var advice: Text {
        switch self {
        case .code(let refusal): .action(refusal.texts.advice)
        case .tooManyAttempts(let minutes): .retryAdvice(afterMinutes: minutes)
        case .malformed: .action(.malformedAdvice)
        case .notFound: .action(.notFoundAdvice)
        }
    }
}

extension OOBCodeRefusal {
    fileprivate var texts: (title: EmailActionText, advice: EmailActionText) {
        switch self {
        case .missing, .invalid, .otherEmail: (.invalidLink, .invalidLinkAdvice)
        case .expired: (.expiredLink, .expiredLinkAdvice)
        case .emailTaken: (.addressTaken, .addressTakenAdvice)
        case .accountDisabled: (.accountDisabled, .accountDisabledAdvice)
        case .notAllowed: (.notAllowed, .notAllowedAdvice)
        }
    }
}
