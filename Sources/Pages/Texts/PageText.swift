/// What several pages and emails show: labels, sign-in methods, devices and dates.
public enum PageText: TextKey {
    /// General.
    case app, emailAddress, signsOutEverywhere, tooManyAttempts, retryAfter, continueToApp, canClosePage
    /// Separators, with the spaces around them.
    case colon, listSeparator
    /// Labels of values.
    case name, added, browserOrApp, wayToSignIn, waysToSignIn
    /// Sign-in methods, as labels.
    case named, password, emailLink, authenticatorApp, passkey, phoneNumber, otherService
    /// Devices. `appleDevice` is a value of `{device}`.
    case unknownDevice, supportDevice, productOnDevice, browser, appProduct, appleDevice
    /// Dates. A month is a value of `{month}`.
    case instant, january, february, march, april, may, june, july, august, september, october, november, december
    /// The footer.
    case help, privacy, terms, requestID, language, changeLanguage
    /// The link before the content, and what precedes the title of a page that returns a rejected form.
    case skipToContent, rejectedForm
    /// A password that does not meet the requirements, which are listed after the text.
    case unsuitablePassword
}
