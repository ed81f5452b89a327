import HTTP
import Identity
import Testing

@testable import API

@Suite("The page that a link in an email opens")
struct ActionPageTests {
    static let path = "/__/auth/action"
    static let form: Headers = ["Content-Type": "application/x-www-form-urlencoded"]

    static func open(
        _ desk: FakeEmailActionService, _ query: [(name: String, value: String)] = [("oobCode", "good")],
        headers: Headers = [:], method: HTTP.Method = .get
    ) async -> Response {
        await TestGateway(actions: desk).send(method, path, query: query, headers: headers)
    }

    static func submit(_ desk: FakeEmailActionService, _ body: String, headers: Headers = form) async -> Response {
        await TestGateway(actions: desk).send(.post, path, query: [], headers: headers, body: body)
    }

    @Test("opening the page does not redeem the code", arguments: OOBCode.Purpose.allCases, [HTTP.Method.get, .head])
    func looking(purpose: OOBCode.Purpose, method: HTTP.Method) async {
        let desk = FakeEmailActionService(purpose)
        let response = await Self.open(desk, method: method)
        #expect(response.status == 200)
        #expect(response.text.contains("Demo") && response.text.contains("ada@example.com"))
        #expect(desk.calls.isEmpty)
    }

    @Test("the stored code determines the page, not the link's mode")
    func mode() async {
        let query = [("mode", "verifyEmail"), ("apiKey", "stolen"), ("oobCode", "good")]
        let response = await Self.open(FakeEmailActionService(.resetPassword), query.map { (name: $0, value: $1) })
        #expect(response.text.contains(#"name="newPassword""#))
    }

    @Test(
        "submitting the form redeems the code for its purpose",
        arguments: [
            (OOBCode.Purpose.verifyEmail, "", FakeEmailActionService.EndpointCall.apply("good"), "is confirmed"),
            (.verifyEmail, "&step=disavow", .disavow("good"), "Thank you for telling us"),
            (.changeEmail, "", .apply("good"), "new@example.com"),
            (.changeEmail, "&step=disavow", .apply("good"), "new@example.com"),
            (.recoverEmail, "&remove.google.com=true", .recover("good", removing: [.google]), #"value="next""#),
            (.removeSignInMethod, "", .removeSignInMethod("good"), #"value="next""#),
            (.undoMerge, "", .undoMerge("good"), #"value="next""#),
            (
                .resetPassword, "&newPassword=correct+horse", .resetPassword("good", to: "correct horse"),
                "has been changed"
            ),
            (
                .resetPassword, "&newPassword=correct+horse&remove.google.com=true&remove.oidc.corp=true",
                .resetPassword("good", to: "correct horse", removing: [.google, ProviderID("oidc.corp")]),
                "has been changed"
            ),
        ])
    func acting(purpose: OOBCode.Purpose, more: String, call: FakeEmailActionService.EndpointCall, says: String) async {
        let desk = FakeEmailActionService(purpose)
        let response = await Self.submit(desk, "oobCode=good&lang=en\(more)")
        #expect(response.status == 200)
        #expect(response.text.contains(says))
        #expect(desk.calls == [call])
    }

    @Test("a sign-in code is left for the app to redeem")
    func signIn() async {
        let desk = FakeEmailActionService(.signIn)
        let response = await Self.submit(desk, "oobCode=good")
        #expect(response.text.contains("on the device that has the app"))
        #expect(desk.calls.isEmpty)
    }

    @Test("a sign-in page links to the app, with the code")
    func appLink() async {
        let query = [
            ("oobCode", "good"), ("apiKey", "a&b"), ("lang", "en"),
            ("continueUrl", "https://app.example.com/in?a=b&oobCode=x#f"),
        ]
        let response = await Self.open(FakeEmailActionService(.signIn), query.map { (name: $0, value: $1) })
        #expect(
            response.text.contains(
                #"href="https://app.example.com/in?a=b&amp;mode=signIn&amp;oobCode=good&amp;apiKey=a%26b&amp;lang=en#f""#
            ))
    }

    @Test(
        "links to the authorized domains of the project",
        arguments: [
            "https://app.example.com/a?b=c", "https://APP.EXAMPLE.COM/", "https://app.example.com:8443/",
            "http://localhost:3000", "https://app.example.com",
        ])
    func ownDomains(url: String) async {
        let escaped = url.replacing("&", with: "&amp;")
        let signIn = await Self.open(FakeEmailActionService(.signIn), [("oobCode", "good"), ("continueUrl", url)])
        #expect(signIn.text.contains(#"href="\#(escaped)"#))
        var withoutPasswords = FakeEmailActionService.project
        withoutPasswords.policy.allowsPasswords = false
        for purpose in [OOBCode.Purpose.verifyEmail, .changeEmail, .resetPassword, .recoverEmail] {
            let project = purpose == .recoverEmail ? withoutPasswords : FakeEmailActionService.project
            let done = await Self.submit(
                FakeEmailActionService(purpose, in: project),
                "oobCode=good&newPassword=long+enough&continueUrl=\(url.replacing("&", with: "%26"))")
            #expect(done.text.contains(#"href="\#(escaped)""#), "\(purpose)")
        }
    }

    @Test(
        "does not link to other domains",
        arguments: [
            "https://app.example.com@evil.com", "https://app.example.com:x@evil.com/",
            "https://evil.com/app.example.com",
            "//evil.com", "//app.example.com", "/relative", "https:///evil.com", "https:app.example.com",
            "javascript:alert(1)", "JavaScript://app.example.com/%0aalert(1)", "data:text/html,x", "app.example.com",
            #"https://evil.com\@app.example.com"#, #"https:\\app.example.com"#, #"https://app.example.com\.evil.com"#,
            "https://app.example.com.evil.com", "https://evilapp.example.com", "https://sub.app.example.com",
            "https://app.example.com.", "https://app.example.com:99999", "https://app.example.com:",
            "https://app.example.com:80a",
            " https://app.example.com", "https://app.example.com /", "https://app.exa\tmple.com",
            "https://app.example.com\n",
            "https://аpp.example.com", "https://app%2eexample.com", "https://[::1]/", "ftp://app.example.com", "",
        ])
    func elsewhere(url: String) async {
        for purpose in OOBCode.Purpose.allCases {
            let shown = await Self.open(FakeEmailActionService(purpose), [("oobCode", "good"), ("continueUrl", url)])
            #expect(shown.status == 200 && !shown.text.contains("<a "), "\(purpose)")
            #expect(!shown.text.contains(#"name="continueUrl""#))
            let form = "oobCode=good&newPassword=long+enough&continueUrl=" + url.formEncoded
            let done = await Self.submit(FakeEmailActionService(purpose), form)
            #expect(done.status == 200 && !done.text.contains("<a "), "\(purpose)")
        }
    }

    @Test("the URL to continue at stays in the forms")
    func kept() async {
        let query = [("oobCode", "good"), ("lang", "ja-JP"), ("continueUrl", "https://app.example.com/?a=1&b=2")]
        let text = await Self.open(FakeEmailActionService(.verifyEmail), query.map { (name: $0, value: $1) }).text
        #expect(text.contains(#"<input type="hidden" name="oobCode" value="good">"#))
        #expect(text.contains(#"name="continueUrl" value="https://app.example.com/?a=1&amp;b=2">"#))
        #expect(text.contains(#"name="lang" value="ja">"#))
        #expect(text.contains(#"<form method="post" action="action">"#))
    }

    @Test(
        "is in the requested language",
        arguments: [
            ("ja", "en", "ja"), ("en-US", "ja", "en"), (nil, "ja;q=0.9, en;q=0.8", "ja"), ("fr", "ja", "ja"),
            (nil, "fr", "ja"), (nil, nil, "ja"), ("", "en", "en"),
        ] as [(String?, String?, String)])
    func language(asked: String?, browser: String?, language: String) async {
        var project = FakeEmailActionService.project
        project.emailSettings.language = .japanese
        let desk = FakeEmailActionService(.verifyEmail, in: project)
        let query = [(name: "oobCode", value: "good")] + (asked.map { [(name: "lang", value: $0)] } ?? [])
        let response = await Self.open(desk, query, headers: browser.map { ["Accept-Language": $0] } ?? [:])
        #expect(response.text.contains(#"<html lang="\#(language)">"#))
        #expect(response.headers["Content-Language"] == language)
    }

    @Test("requests emails in its own language")
    func languageOfEmails() async {
        let desk = FakeEmailActionService(.changeEmail)
        _ = await Self.submit(
            desk, "oobCode=good&lang=ja",
            headers: [
                "Content-Type": "application/x-www-form-urlencoded", "Accept-Language": "en", "User-Agent": "Phone",
            ])
        #expect(desk.origins.map(\.language) == [.japanese])
        #expect(desk.origins.map(\.device) == ["Phone"])
        #expect(desk.origins.map(\.network.levels[0].prefix) == ["192.0.2.7"])
    }
}

extension String {
    /// Every byte as an escape.
    var formEncoded: String {
        utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
