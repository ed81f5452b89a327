import HTTP
import Identity
import Testing

@testable import Support

@Suite("Forgot-password page")
struct ForgotPasswordTests {
    static let path = "/__/auth/forgotPassword"

    @Test("The forgot-password page has a form for an email address", arguments: [path, "/demo" + path])
    func form(path: String) async throws {
        let gateway = try await TestGateway()
        let response = try await gateway.send(.get, path, query: [("lang", "en")])
        #expect(response.status == 200)
        #expect(response.text.contains(#"name="email" type="email" autocomplete="username" required"#))
        #expect(response.text.contains(#"<form method="post" action="forgotPassword">"#))
        #expect(try await gateway.emails().isEmpty)
    }

    @Test("The forgot-password page sends an email in the language of the page", arguments: [path, "/demo" + path])
    func sends(path: String) async throws {
        let gateway = try await TestGateway(passwords: .withoutHashing)
        _ = try await gateway.signUp()
        let response = try await gateway.submitForm(path, text: "email=Ada%40Example.com&lang=ja")
        #expect(response.status == 200)
        #expect(response.text.contains("ada@example.com") && response.text.contains(#"lang="ja""#))
        let emails = try await gateway.emails()
        #expect(emails.map(\.kind) == [.resetPassword])
        #expect(emails.map(\.recipient) == ["ada@example.com"])
        #expect(emails.map(\.language) == ["ja"])
    }

    @Test(
        "The forgot-password page shows its form again if the text is not an email address",
        arguments: ["email=ada", "email=", "", "email=a%0d%0ab@example.com"])
    func invalid(body: String) async throws {
        let gateway = try await TestGateway()
        let response = try await gateway.submitForm(Self.path, text: body)
        #expect(response.status == 400)
        #expect(response.text.contains(#"role="alert""#))
        #expect(response.text.contains(#"aria-describedby="problem""#))
        #expect(try await gateway.emails().isEmpty)
    }

    @Test(
        "The page after the form is the same for known and unknown addresses, with and without enumeration protection",
        arguments: [true, false])
    func unknownAddress(emailEnumerationProtection: Bool) async throws {
        let gateway = try await TestGateway(passwords: .withoutHashing) {
            $0.emailEnumerationProtection = emailEnumerationProtection
        }
        let unknown = try await gateway.submitForm(Self.path, text: "email=ada@example.com")
        _ = try await gateway.signUp()
        let known = try await gateway.submitForm(Self.path, text: "email=ada@example.com")
        #expect(known.status == 200 && unknown.status == 200)
        #expect(known.text == unknown.text)
        let headersOfOneRequest = ["x-request-id", "date"]
        let fields = [known, unknown].map { response in
            response.headers.filter { !headersOfOneRequest.contains($0.name.lowercased()) }.map { "\($0)" }.sorted()
        }
        #expect(fields[0] == fields[1])
    }

    @Test(
        "The forgot-password page says that it is not available if passwords are not allowed or emails cannot be sent")
    func notAvailable() async throws {
        for gateway in [
            try await TestGateway { $0.allowsPasswords = false }, try await TestGateway(sendsEmails: false),
        ] {
            let response = try await gateway.submitForm(Self.path, text: "email=ada@example.com")
            #expect(response.status == 400)
            #expect(response.text.contains("This is not available"), "\(response.text)")
        }
    }

    /// A gateway with the projects `demo` and `other`. A path without a project ID names neither of them.
    private static let twoProjects = Task {
        let gateway = try await TestGateway()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        return try gateway.withFreshCaches()
    }

    @Test(
        "The forgot-password page is not found if the path names an unknown project, or no project although two exist",
        arguments: [path, "/none" + path])
    func unknownProject(path: String) async throws {
        let gateway = try await Self.twoProjects.value
        let opened = try await gateway.send(.get, path)
        let submitted = try await gateway.submitForm(path, text: "email=ada@example.com")
        for response in [opened, submitted] {
            #expect(response.status == 404)
            #expect(response.text.contains("<h1>Page not found</h1>"))
        }
        #expect(try await gateway.emails().isEmpty)
    }

    @Test(
        "The well-known URL for changing passwords redirects to the forgot-password page, unless the project is unknown",
        arguments: ["", "/demo"])
    func wellKnown(prefix: String) async throws {
        let response = try await TestGateway().send(.get, prefix + "/.well-known/change-password", query: [])
        #expect(response.status == 303)
        #expect(response.headers["Location"] == "../__/auth/forgotPassword")
        #expect(response.body.isEmpty)
        let unknown = try await Self.twoProjects.value.send(
            .get, (prefix.isEmpty ? "" : "/none") + "/.well-known/change-password", query: [])
        #expect(unknown.outcome == "404 Not Found")
    }
}
