import HTTP
import Identity
import Testing

@testable import API

@Suite("Forgot-password page")
struct ForgotPasswordTests {
    static let path = "/__/auth/forgotPassword"

    static func submit(_ desk: FakeEmailActionService, _ body: String, to path: String = path) async -> Response {
        await TestGateway(actions: desk).send(
            .post, path, query: [], headers: ["Content-Type": "application/x-www-form-urlencoded"], body: body)
    }

    @Test("asks for an email address", arguments: [path, "/demo" + path])
    func asks(path: String) async {
        let desk = FakeEmailActionService()
        let response = await TestGateway(actions: desk).send(.get, path, query: [("lang", "en")])
        #expect(response.status == 200)
        #expect(response.text.contains(#"name="email" type="email" autocomplete="username" required"#))
        #expect(response.text.contains(#"<form method="post" action="forgotPassword">"#))
        #expect(desk.calls.isEmpty)
    }

    @Test("sends an email, and shows the same page for every address", arguments: [path, "/demo" + path])
    func sends(path: String) async {
        let desk = FakeEmailActionService()
        let response = await Self.submit(desk, "email=Ada%40Example.com&lang=ja", to: path)
        #expect(response.status == 200)
        #expect(response.text.contains("ada@example.com") && response.text.contains(#"lang="ja""#))
        #expect(desk.calls == [.sendReset("ada@example.com", in: ID("demo"))])
        #expect(desk.origins.map(\.language) == [.japanese])
    }

    @Test(
        "asks again if the text is not an email address",
        arguments: ["email=ada", "email=", "", "email=a%0d%0ab@example.com"])
    func invalid(body: String) async {
        let desk = FakeEmailActionService()
        let response = await Self.submit(desk, body)
        #expect(response.status == 400)
        #expect(response.text.contains(#"role="alert""#))
        #expect(response.text.contains(#"aria-describedby="problem""#))
        #expect(desk.calls.isEmpty)
    }

    @Test("does not reveal that an address is unknown")
    func unknownAddress() async {
        let known = await Self.submit(FakeEmailActionService(), "email=ada@example.com")
        let unknown = await Self.submit(
            FakeEmailActionService(failure: OOBSendingRefusal.emailUnknown), "email=ada@example.com")
        #expect(known.status == 200 && unknown.status == 200)
        #expect(known.text == unknown.text)
        #expect(known.headers.map { "\($0)" } == unknown.headers.map { "\($0)" })
    }

    @Test("says that no email can be sent", arguments: [OOBSendingRefusal.notAllowed, .emailNotConfigured])
    func notAllowed(refusal: OOBSendingRefusal) async {
        let response = await Self.submit(FakeEmailActionService(failure: refusal), "email=ada@example.com")
        #expect(response.status == 400)
        #expect(response.text.contains("This is not available"))
    }

    @Test("exists only for existing projects", arguments: [path, "/none" + path])
    func unknownProject(path: String) async {
        let desk = FakeEmailActionService(projectIsKnown: false)
        let shown = await TestGateway(actions: desk).send(.get, path)
        let sent = await Self.submit(desk, "email=ada@example.com", to: path)
        for response in [shown, sent] {
            #expect(response.status == 404)
            #expect(response.text.contains("<h1>Page not found</h1>"))
        }
        #expect(desk.calls.isEmpty)
    }

    @Test(
        "is found by password managers",
        arguments: ["/.well-known/change-password", "/demo/.well-known/change-password"])
    func wellKnown(path: String) async {
        let response = await TestGateway().send(.get, path, query: [])
        #expect(response.status == 303)
        #expect(response.headers["Location"] == "../__/auth/forgotPassword")
        #expect(response.body.isEmpty)
        let unknown = await TestGateway(actions: FakeEmailActionService(projectIsKnown: false)).send(
            .get, path, query: [])
        #expect(unknown.summary == "404 Not Found")
    }
}
