import Identity
import Testing

@Suite("Links in emails")
struct ActionLinkTests {
    @Test(
        "A link contains the mode, the code, the API key and the language",
        arguments: [
            (OOBCode.Purpose.resetPassword, "resetPassword"), (.verifyEmail, "verifyEmail"), (.signIn, "signIn"),
            (.changeEmail, "verifyAndChangeEmail"), (.recoverEmail, "recoverEmail"),
            (.removeSignInMethod, "removeSignInMethod"),
            (.revertFactorAddition, "revertSecondFactorAddition"),
            (.undoMerge, "undoMerge"),
        ])
    func parameters(purpose: OOBCode.Purpose, mode: String) {
        let link = ActionLink(
            .init(purpose), code: "c-_0", in: ID("demo"), at: "https://a.example/act", apiKey: "key",
            language: .japanese)
        #expect(link.url == "https://a.example/act?mode=\(mode)&oobCode=c-_0&apiKey=key&lang=ja")
    }

    @Test("A link contains the project's ID if there is no API key")
    func withoutKey() {
        let link = ActionLink(
            .signIn, code: "c", in: ID("demo"), at: "https://a.example", apiKey: nil, language: .english)
        #expect(link.url == "https://a.example?mode=signIn&oobCode=c&apiKey=demo&lang=en")
    }

    @Test("A continue URL or an API key cannot add or end a parameter")
    func continueURL() {
        let link = ActionLink(
            .signIn, code: "c", in: ID("demo"), at: "https://a.example", apiKey: "k&mode=x#é", language: .english,
            continueURL: "https://app.example/?a=b&oobCode=d#f")
        #expect(
            link.url == "https://a.example?mode=signIn&oobCode=c&apiKey=k%26mode%3Dx%23%C3%A9&lang=en"
                + "&continueUrl=https%3A%2F%2Fapp.example%2F%3Fa%3Db%26oobCode%3Dd%23f")
    }

    @Test(
        "The URL that a link opens keeps its parameters, except those that the gateway sets",
        arguments: [
            ("https://app.example/", "https://app.example/?"), ("https://app.example", "https://app.example?"),
            ("https://app.example/?a=b", "https://app.example/?a=b&"),
            ("https://app.example/?oobCode=mine&a=b&mode&modes=1", "https://app.example/?a=b&modes=1&"),
            ("https://app.example/?", "https://app.example/?"),
        ])
    func baseParameters(base: String, beginning: String) {
        let parameters = "mode=signIn&oobCode=c&apiKey=k&lang=en"
        for fragment in ["", "#part?oobCode=x"] {
            let link = ActionLink(
                .signIn, code: "c", in: ID("demo"), at: base + fragment, apiKey: "k", language: .english)
            #expect(link.url == beginning + parameters + fragment)
        }
    }

    @Test("For Firebase's modes, a link opens the project's action page if there is one; otherwise, the gateway's page")
    func base() {
        let gatewayPage = "https://g.example/__/auth/action"
        let gatewayModes: [ActionLink.Mode] = [.removeSignInMethod, .revertSecondFactorAddition, .undoMerge]
        for mode in ActionLink.Mode.allCases {
            #expect(EmailSettings().actionBase(of: mode, at: "https://g.example") == gatewayPage)
            let base = EmailSettings(actionURL: "https://a.example/x").actionBase(of: mode, at: "https://g.example")
            #expect(
                base == (gatewayModes.contains(mode) ? gatewayPage : "https://a.example/x"), "\(mode)")
        }
    }
}
