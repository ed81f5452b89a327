// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var english: StaticString {
        switch self {
        case .signingIn: "Signing in…"
        case .returning: "You will be taken back to the app."
        case .needsScript: "This page needs JavaScript. Turn JavaScript on in your browser and sign in again."
        case .noResponse: "The app does not respond. Close this window, go back to the app and sign in again."
        case .tryAgain: "Try again"
        case .backToApp: "Back to the app"
        case .expired: "This sign-in has expired"
        case .expiredAdvice: "You have ten minutes to sign in. Go back to the app and sign in again. Nothing was changed."
        case .otherBrowser: "We cannot finish this sign-in"
        case .otherBrowserAdvice: "This browser did not start the sign-in, or it does not store cookies. Go back to the app, allow cookies, and sign in again in the same browser. Nothing was changed."
        case .alreadyUsed: "This sign-in is already finished"
        case .alreadyUsedAdvice: "Go back to the app. If you are not signed in there, sign in again."
        case .domainNotAllowed: "This website cannot use this sign-in"
        case .domainNotAllowedAdvice: "The website that opened this page is not allowed to use this sign-in. If you operate the website, add its domain to the project's authorized domains."
        case .providerUnavailable: "The sign-in service does not respond"
        case .providerUnavailableAdvice: "Wait a moment, then try again. Nothing was changed. You can also go back to the app and sign in another way."
        case .rejected: "We could not sign you in"
        case .rejectedAdvice: "Nothing was changed. Go back to the app and sign in again."
        case .cancelled: "You cancelled the sign-in"
        case .cancelledAdvice: "Nothing was changed. You can go back to the app."
        case .notOffered: "This sign-in is not available"
        case .notOfferedAdvice: "Go back to the app and sign in another way."
        case .malformed: "This sign-in link is incomplete"
        case .malformedAdvice: "Go back to the app and sign in again. If you see this page again, contact the operator of the app."
        }
    }
}
