import Crypto
import Encoding
import HTML
import HTTP
import Identity
import Testing

@testable import Pages

@Suite("The account page")
struct AccountPageTests {
    @Test("Hostile values do not change the structure of a page", arguments: rows)
    func hostile(row: Row) {
        let script = #"</title></style>"><script>alert(1)</script>'&amp;"# + "\u{0}\u{202E}\r\n<!--"
        let hostile = Values(name: script, device: script, email: EmailAddress("a&'`{}/*b@example.com")!, token: script)
        let page = row.make(hostile)
        #expect(PageTests.skeleton(page.html) == PageTests.skeleton(row.make(Values()).html))
        #expect(!Self.withoutAllowedScript(page).contains("<script") && !page.html.contains("\u{0}"))
    }

    /// Returns the page without the one script whose hash its policy allows. Every other script remains.
    private static func withoutAllowedScript(_ page: Page) -> String {
        let policy = page.sessionResponse().headers["Content-Security-Policy"] ?? ""
        guard let allowed = policy.firstMatch(of: #/script-src 'sha256-([^']+)';/#)?.output.1 else { return page.html }
        let script = page.html.matches(of: #/(?s)<script>(.*?)<\/script>/#).map(\.output).first {
            Base64.encode(Digest.sha256(Array($0.1.utf8))) == allowed
        }
        return script.map { page.html.replacing($0.0, with: "", maxReplacements: 1) } ?? page.html
    }

    @Test("Only the pages of a new and a removed passkey allow a script, and only its own")
    func allowedScript() throws {
        for row in Self.rows {
            let page = row.make(Values())
            let policy = try #require(page.sessionResponse().headers["Content-Security-Policy"])
            #expect(policy.contains("script-src") == ["new passkey", "removed passkey"].contains(row.testDescription))
            #expect(Self.withoutAllowedScript(page).contains("<script") == false)
        }
    }

    @Test("The page that removes a passkey does not speak of an address, and that of a deletion names the account")
    func consequences() {
        let (values, lost) = (Values(), "your account loses this address")
        #expect(Page.removeMethod(values.methods[0], values.frame(.remove)).html.contains(lost))
        #expect(!Page.removeMethod(values.methods[4], values.frame(.remove)).html.contains(lost))
        let overview = AccountOverview(values.account, in: values.realm)
        let email = values.account.email?.rawValue ?? "none"
        #expect(Page.deleteAccount(overview, signInURL: nil, values.frame(.delete)).html.contains(email))
    }

    @Test("A page is accessible, and has at most 15 KB", arguments: rows)
    func accessible(row: Row) {
        let page = row.make(Values())
        PageTests.expectAccessible(page.html)
        #expect(page.html.utf8.count <= 15_000)
        let texts = Self.withoutAllowedScript(page).replacing(
            #/<style>.*?</style>| data-(passkey|accepted)='[^']*'/#, with: "")
        #expect(!texts.contains("{"), "a placeholder is not filled")
    }

    @Test("A full page of devices and one of activity have at most 15 KB")
    func budget() {
        let values = Values()
        let devices = (0..<Page.deviceLimit).map { number in
            AccountDevice(
                values.session("00000000-0000-0000-0000-0000000000\(10 + number)"),
                current: values.session("x").session, in: values.realm)
        }
        let page = Page.devices(devices, hasOthers: true, more: "after=1", values.frame(.devices))
        #expect(page.html.utf8.count <= 15_000)
        let event = ActivityPageTests.event("identity.linked", ["provider": "google.com"], actor: "key:1")
        let events = Array(repeating: AccountActivity(event, in: values.realm), count: Page.activityLimit)
        #expect(Page.activity(events, older: "after=1", values.frame(.activity)).html.utf8.count <= 15_000)
    }

    @Test("The only way to sign in has no link that removes it")
    func onlyWay() {
        let values = Values()
        let account = Account(
            id: ID("ada"), email: values.email, passwordUpdatedAt: Self.now, createdAt: Self.now, validSince: Self.now)
        let page = Page.signInMethods(
            AccountMethod.all(of: account, in: values.realm), recoveryCodes: nil, adding: AddableMethods(),
            values.frame(.methods))
        #expect(!page.html.contains("method="))
        #expect(page.html.contains("your only way to sign in"))
    }

    @Test("The paths between the pages are relative", arguments: AccountPath.allCases, AccountPath.allCases)
    func paths(from path: AccountPath, to other: AccountPath) {
        let base = "/demo/__/auth/account" + (path == .overview ? "" : "/" + path.rawValue)
        var segments = base.split(separator: "/").dropLast().map(String.init)
        for segment in path.relativePath(to: other).split(separator: "/") {
            if segment == ".." { segments.removeLast() } else { segments.append(String(segment)) }
        }
        let expected = "demo/__/auth/account" + (other == .overview ? "" : "/" + other.rawValue)
        #expect(segments.joined(separator: "/") == expected)
    }

    @Test("A reference to a method is the same after it was written and read")
    func references() {
        for method in Values().methods { #expect(AccountMethod.Reference(method.reference.text) == method.reference) }
    }
}
