import Crypto
import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

/// A gateway with a console at `https://auth.example.com/console`, whose operators' project is `other`.
struct ConsoleFixture: Sendable {
    static let operators = ID<Project>("other")
    /// The API key of the operators' project.
    static let apiKey = "pk_operators"

    let gateway: TestGateway
    let operatorsKey: ServiceKey

    /// - Parameters:
    ///   - passkeys: of the operators' project.
    ///   - state: whether the operators' project asks for second factors.
    init(
        passkeys: PasskeySettings = PasskeySettings(), secondFactors state: SecondFactorPolicy.State = .mandatory
    ) async throws {
        let plain = try await TestGateway()
        try await plain.makeOtherProject(apiKey: Self.apiKey) { draft in
            draft.realm.policy = Policy(.sekisho)
            draft.realm.policy.allowsSignUp = false
            draft.realm.policy.rejectsBreachedPasswords = false
            draft.realm.policy.secondFactors = SecondFactorPolicy(state: state, allowsTOTP: true)
            // The link in the email leads back to the console.
            draft.realm.project.authorizedDomains = ["auth.example.com"]
            draft.realm.project.passkeys = passkeys
        }
        gateway = try plain.with { $0.console = ConsoleSettings(project: Self.operators) }
        operatorsKey = try await ServiceKey(id: "operators", of: Self.operators, in: gateway)
        _ = try await ServiceKey(id: "backend", in: gateway)
    }

    static let password = "staple battery horse 7"

    /// Invites a person.
    ///
    /// - Parameter project: `other` for all projects.
    func invite(_ email: String, _ role: String, in project: String = "other") async throws -> Exchange {
        let path = "/v2/projects/\(project)/administrators"
        let key = project == "other" ? operatorsKey : try await ServiceKey(id: "of-\(email)", in: gateway)
        let body: JSON = ["email": .string(email), "role": .string(role)]
        return try await gateway.send(.post, path, body, by: key)
    }

    /// Proves the mailbox and sets the password, as the page of the email does.
    func proveMailbox(_ id: String) async throws {
        let body: JSON = ["localId": .string(id), "password": .string(Self.password), "emailVerified": true]
        let path = "/v1/projects/other/accounts:update"
        #expect(try await gateway.send(.post, path, body, by: operatorsKey).outcome == "200")
    }

    /// Invites a person and signs the person in, with all steps of the pages.
    func signIn(
        _ email: String = "ada@example.com", as role: String, in project: String = "other"
    ) async throws -> ConsoleVisitor {
        let invited = try await invite(email, role, in: project)
        let link = try #require(invited.json["invitationUri"]?.string)
        let visitor = ConsoleVisitor(gateway)
        let page = try await visitor.open(String(link.dropFirst("https://auth.example.com".count)))
        let sent = try await visitor.submit(page, "invitation", ["email": email])
        #expect(sent.heading == "Check your email", "\(sent.text)")
        try await proveMailbox(try #require(invited.json["localId"]?.string))
        let enrolment = try await visitor.enterPassword(email)
        let secret = try #require(enrolment.field("secret"))
        let app = AuthenticatorApp(secret: try #require(Base32.decode(secret)))
        let done = try await visitor.submit(enrolment, "enrolment", ["code": try app.code(at: gateway.clock.now)])
        #expect(done.status == 303, "\(done.text)")
        visitor.email = email
        visitor.id = try #require(invited.json["localId"]?.string)
        visitor.app = app
        return visitor
    }
}

extension ConsoleFixture {
    /// Calls an operation on the accounts of the operators' project, with the service key.
    func administer(_ operation: String, _ body: JSON) async throws -> Exchange {
        try await gateway.send(.post, "/v1/projects/other/accounts:\(operation)", body, by: operatorsKey)
    }

    /// The accepted roles of a person.
    func roles(of person: ConsoleVisitor) async throws -> [ID<Project>: AdministratorRole] {
        try await PostgresAdministratorStore(pool: gateway.database.pool).roles(of: ID(person.id), in: Self.operators)
    }

    /// Signs a person in to the operators' project as an app does, with both factors.
    ///
    /// - Returns: the ID token and the ID of the factor.
    func signInToAPI(_ person: ConsoleVisitor) async throws -> (idToken: JSON, factor: JSON) {
        // A one-time password is accepted once.
        gateway.clock.advance(by: .seconds(30))
        let first = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            ["email": .string(person.email), "password": .string(Self.password)], key: Self.apiKey)
        let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string, "\(first.text)")
        let code = try #require(person.app).code(at: gateway.clock.now)
        let signedIn = try await gateway.finalizeSignIn(first, factor, code, key: Self.apiKey)
        return (try #require(signedIn.json["idToken"]), .string(factor))
    }
}

/// A browser in the console.
final class ConsoleVisitor: @unchecked Sendable {
    let browser: TestBrowser
    var email = ""
    /// The ID of the person's account.
    var id = ""
    var app: AuthenticatorApp?

    init(_ gateway: TestGateway) {
        browser = TestBrowser(gateway)
    }

    private static let headers = [
        ("Host", "auth.example.com"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"),
    ]

    func open(_ path: String) async throws -> Exchange {
        try await browser.send(.get, path, headers: Self.headers)
    }

    /// Submits the form with this ID on a page.
    func submit(
        _ page: Exchange, _ form: String, _ values: [String: String] = [:], headers: [(String, String)]? = nil,
        changing: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Exchange {
        let (action, hidden) = try #require(page.form(form), "\(form) in \(page.text)")
        var fields = hidden + values.map { ($0.key, $0.value) }
        changing(&fields)
        return try await browser.send(.post, action, form: fields, headers: headers ?? Self.headers)
    }

    func enterPassword(_ email: String, target: String = "") async throws -> Exchange {
        let page = try await open("/console/signIn\(target)")
        return try await submit(page, "password", ["email": email, "password": ConsoleFixture.password])
    }

    /// Proves both factors again, which opens a new session.
    ///
    /// - Parameter target: the query of the page on which the person confirms.
    /// - Returns: the redirect to the page with which the person continues.
    @discardableResult
    func confirm(target: String = "") async throws -> Exchange {
        let clock = browser.gateway.clock
        // A one-time password is accepted once.
        clock.advance(by: .seconds(30))
        let page = try await enterPassword(email, target: target)
        let code = try #require(app).code(at: clock.now)
        let confirmed = try await submit(page, "code", ["code": code])
        #expect(confirmed.status == 303)
        return confirmed
    }

    /// Submits a form that the page does not offer to the person, with the token that it would have.
    ///
    /// - Parameter path: of the page.
    func submitUnoffered(_ path: String, _ form: String, _ values: [String: String] = [:]) async throws -> Exchange {
        #expect(try await open(path).form(form) == nil)
        let sessions = try await browser.gateway.database.pool.query(
            """
            SELECT id::text AS id FROM session WHERE account_id = \(id) AND ended_at IS NULL AND second_factor IS NOT NULL
            ORDER BY authenticated_at DESC LIMIT 1
            """)
        let session = try #require(sessions.first).decode("id", as: String.self)
        let subject = FormTokens.Form(
            browser: Array("console session|\(session)".utf8), action: "console/\(form)", subject: path)
        let token = FormTokens.live(under: browser.gateway.masterKeys).token(for: subject)
        let fields = [("form", form), (FormTokens.field.rawValue, token)] + values.map { ($0.key, $0.value) }
        return try await browser.send(.post, path, form: fields, headers: Self.headers)
    }
}

extension Exchange {
    /// The action and the hidden fields of the form with this ID.
    func form(_ id: String) -> (action: String, hidden: [(String, String)])? {
        guard let start = text.firstRange(of: "<form id=\"\(id)-form\""),
            let end = text[start.upperBound...].firstRange(of: "</form>")
        else { return nil }
        let form = text[start.lowerBound..<end.lowerBound]
        guard let action = form.firstMatch(of: #/action="([^"]*)"/#) else { return nil }
        let hidden = form.matches(of: #/<input type="hidden" name="([^"]*)" value="([^"]*)">/#)
        return (
            String(action.output.1).unescaped,
            hidden.map { (String($0.output.1), String($0.output.2).unescaped) }
        )
    }

    /// The value of a hidden field.
    func field(_ name: String) -> String? {
        text.firstRange(of: "name=\"\(name)\" value=\"").map {
            String(text[$0.upperBound...].prefix { $0 != "\"" }).unescaped
        }
    }
}

extension String {
    fileprivate var unescaped: String {
        replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}
