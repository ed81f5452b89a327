/// The pages of a sign-in in the browser.
enum FlowText: TextKey {
    /// The result.
    case signingIn, returning, needsScript, noResponse
    /// Links.
    case tryAgain, backToApp
    /// Failures: titles, each with the advice.
    case expired, expiredAdvice, otherBrowser, otherBrowserAdvice, alreadyUsed, alreadyUsedAdvice, domainNotAllowed,
        domainNotAllowedAdvice, providerUnavailable, providerUnavailableAdvice, rejected, rejectedAdvice, cancelled,
        cancelledAdvice, notOffered, notOfferedAdvice, malformed, malformedAdvice
}
