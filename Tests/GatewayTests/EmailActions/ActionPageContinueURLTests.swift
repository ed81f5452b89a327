import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Continue URLs of the action page")
struct ActionPageContinueURLTests {
    /// A gateway whose project has the domains `App.example.com` and `localhost`.
    private static func gatewayWithDomains(change: @escaping (inout Policy) -> Void = { _ in }) async throws
        -> TestGateway
    {
        let gateway = try await TestGateway(.sekisho, passwords: .withoutHashing, change: change)
        let changedRows = try await gateway.database.pool.execute(
            "UPDATE realm SET authorized_domains = ARRAY['App.example.com', 'localhost']")
        #expect(changedRows == 1)
        return try gateway.withFreshCaches()
    }

    /// Redeems a code of each purpose on the action page, and returns the pages that follow. Each code has its own
    /// account, because the redemption of most codes changes the account.
    private static func pagesAfterRedemption(
        ofCodesFor purposes: [OOBCode.Purpose], at gateway: TestGateway, continueURL url: String
    ) async throws -> [String] {
        var pages: [String] = []
        for purpose in purposes {
            _ = try await gateway.database.pool.execute("DELETE FROM account")
            let code = try await gateway.storeCode(purpose, of: gateway.makeAccountWithoutPassword())
            let form = "oobCode=\(code)&newPassword=long+enough&continueUrl=\(url.percentEncoded)"
            let page = try await gateway.submitForm(ActionPageRequestTests.path, text: form)
            #expect(page.status == 200, "\(purpose) \(url)")
            pages.append(page.text)
        }
        return pages
    }

    /// Whether a page has a link besides the ones that lead to its content and to the account page.
    private static func hasLink(_ page: String) -> Bool {
        page.replacing(#"<a class="skip" "#, with: "").replacing(#/<a [^>]*/__/auth/account">/#, with: "")
            .contains("<a ")
    }

    @Test("The action page links to continue URLs at the project's authorized domains")
    func authorized() async throws {
        let gateway = try await Self.gatewayWithDomains()
        // If the project allows passwords, a recovery continues with a form for a new password and has no link.
        let withoutPasswords = try await Self.gatewayWithDomains { $0.allowsPasswords = false }
        let code = try await gateway.storeCode(.signIn, of: gateway.makeAccountWithoutPassword())
        let urls = [
            "https://app.example.com/a?b=c", "https://APP.EXAMPLE.COM/", "https://app.example.com:8443/",
            "http://localhost:3000", "https://app.example.com",
        ]
        for url in urls {
            let signIn = try await gateway.openActionPage(code, ["continueUrl": url])
            #expect(signIn.text.contains(#"href="\#(url)"#), "\(signIn.text)")
            // The switch of the language keeps the URL.
            #expect(signIn.text.contains(#"name="continueUrl" value="\#(url)""#), "\(signIn.text)")
        }
        for url in urls {
            let pages =
                try await Self.pagesAfterRedemption(
                    ofCodesFor: [.verifyEmail, .changeEmail, .resetPassword], at: gateway, continueURL: url)
                + Self.pagesAfterRedemption(ofCodesFor: [.recoverEmail], at: withoutPasswords, continueURL: url)
            for page in pages { #expect(page.contains(#"href="\#(url)""#), "\(page)") }
        }
    }

    private static let unauthorized = [
        "https://app.example.com@evil.com", "https://app.example.com:x@evil.com/",
        "https://evil.com/app.example.com",
        "//evil.com", "//app.example.com", "/relative", "https:///evil.com", "https:app.example.com",
        "javascript:alert(1)", "JavaScript://app.example.com/%0aalert(1)", "data:text/html,x", "app.example.com",
        #"https://evil.com\@app.example.com"#, #"https:\\app.example.com"#, #"https://app.example.com\.evil.com"#,
        "https://app.example.com.evil.com", "https://evilapp.example.com", "https://sub.app.example.com",
        "https://app.example.com.", "https://app.example.com:99999", "https://app.example.com:",
        "https://app.example.com:80a", "https://app.example.com:+80", "https://[::1]:", "https://[::1].example.com/",
        " https://app.example.com", "https://app.example.com /", "https://app.exa\tmple.com",
        "https://app.example.com\n",
        "https://аpp.example.com", "https://app%2eexample.com", "https://[::1]/", "ftp://app.example.com", "",
    ]

    @Test(
        "Before redemption, the action page does not link to continue URLs that are invalid or at unauthorized domains",
        arguments: OOBCode.Purpose.allCases)
    func unauthorized(purpose: OOBCode.Purpose) async throws {
        let gateway = try await Self.gatewayWithDomains()
        let code = try await gateway.storeCode(purpose, of: gateway.makeAccountWithoutPassword())
        for url in Self.unauthorized {
            let page = try await gateway.openActionPage(code, ["continueUrl": url])
            #expect(page.status == 200 && !Self.hasLink(page.text), "\(url)")
            #expect(!page.text.contains(#"name="continueUrl""#), "\(url)")
        }
    }

    @Test(
        "After redemption, the action page does not link to continue URLs that are invalid or at unauthorized domains",
        arguments: [OOBCode.Purpose.verifyEmail, .changeEmail, .resetPassword, .recoverEmail])
    func unauthorizedAfterwards(purpose: OOBCode.Purpose) async throws {
        // If the project allows passwords, a recovery continues with a form for a new password and has no link.
        let gateway = try await Self.gatewayWithDomains { $0.allowsPasswords = purpose != .recoverEmail }
        for url in Self.unauthorized {
            for page in try await Self.pagesAfterRedemption(
                ofCodesFor: [purpose], at: gateway, continueURL: url)
            {
                #expect(!Self.hasLink(page), "\(url)")
            }
        }
    }
}
