import Crypto
import Encoding
import HTML
import HTTP
import Identity
import Providers
import Testing

@testable import Pages

@Suite("The account page")
struct AccountPageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Values) -> Page
    }

    private static let now = Instant(seconds: 1_767_225_600)

    /// Values that may come from an attacker.
    struct Values: Sendable {
        var name = "Ada"
        var device = "Example (iPhone; iOS 19.0)"
        var email = EmailAddress("ada@example.com")!
        var token = "token"

        var realm: Realm {
            Realm(
                project, policy: Policy(.sekisho))
        }

        private var project: Project {
            var project = Project(
                id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live)
            project.apps = [App(id: ID("app"))]
            project.appNames = [ID("app"): name]
            return project
        }

        var account: Account {
            let now = AccountPageTests.now
            var account = Account(
                id: ID("ada"), email: email, displayName: name, passwordUpdatedAt: now,
                phoneNumber: PhoneNumber("+15555550100"),
                identities: [
                    LinkedIdentity(
                        provider: .apple, subject: "1", email: email, isPrivateEmail: true, linkedAt: now,
                        linkedDevice: device),
                    LinkedIdentity(provider: .google, subject: "2", email: email, linkedAt: now),
                ],
                passkeys: [
                    Passkey(
                        id: ID("abcd"), rpID: "example.com", userHandle: "h", name: name, createdAt: now, addedAt: now,
                        lastUsedAt: now, isBackedUp: false, transports: [], aaguid: "")
                ], createdAt: now, validSince: now)
            account.secondFactors = SecondFactors(
                factors: [Factor(id: ID("f"), kind: .totp, displayName: name, enrolledAt: now)],
                recoveryCodes: SecondFactors.RecoveryCodes(remaining: 3, createdAt: now))
            return account
        }

        func session(_ id: String) -> ListedSession {
            ListedSession(
                session: Session(
                    id: ID(id), account: ID("ada"), generation: 1, method: .apple,
                    authenticatedAt: AccountPageTests.now,
                    device: device), lastUsedAt: AccountPageTests.now, app: ID("app"))
        }

        func frame(
            _ path: AccountPath, _ notice: AccountNotice? = nil, acceptedPasskeys: String? = nil
        ) -> AccountFrame {
            AccountFrame(
                Page.Context(language: .english, projectName: name), path, formToken: token,
                now: AccountPageTests.now + .seconds(3600), notice: notice, acceptedPasskeys: acceptedPasskeys)
        }

        var rules: PasswordRules { PasswordRules(Policy(.sekisho)) }
        var methods: [AccountMethod] { AccountMethod.all(of: account, in: realm) }
        var pending: PendingOneTimePassword {
            // The longest URL of which the page shows a QR code.
            PendingOneTimePassword(
                secret: "ABCDEFGHIJKL", appURL: "otpauth://totp/" + String(repeating: "a", count: 256),
                enrolment: token)
        }
        var addable: AddableMethods {
            var addable = AddableMethods()
            addable.service = true
            (addable.password, addable.phone) = (true, true)
            (addable.oneTimePassword, addable.recoveryCodes) = (true, true)
            addable.passkey = true
            return addable
        }
    }

    static let rows: [Row] =
        [
            Row(testDescription: "overview") {
                .account(
                    AccountOverview($0.account, in: $0.realm), allowsPasswords: true, $0.frame(.overview, .password))
            },
            Row(testDescription: "overview after an error") {
                .account(
                    AccountOverview($0.account, in: $0.realm), allowsPasswords: false, problem: .alreadyLinked,
                    $0.frame(.overview))
            },
            Row(testDescription: "ways to sign in") {
                .signInMethods(
                    $0.methods, recoveryCodes: $0.account.secondFactors.recoveryCodes, adding: $0.addable,
                    $0.frame(.methods))
            },
            Row(testDescription: "removed passkey") {
                .signInMethods(
                    $0.methods, recoveryCodes: nil, adding: $0.addable,
                    $0.frame(.methods, .removed, acceptedPasskeys: #"{"userId": "\#($0.name)"}"#))
            },
            Row(testDescription: "removal") { .removeMethod($0.methods[0], $0.frame(.remove)) },
            Row(testDescription: "removal of a passkey") { .removeMethod($0.methods[4], $0.frame(.remove)) },
            Row(testDescription: "new passkey") {
                .addPasskey(
                    PasskeyCeremony(options: #"{"user": {"name": "\#($0.name)"}}"#), isRejected: true,
                    $0.frame(.passkey))
            },
            Row(testDescription: "name of a passkey") {
                .renamePasskey($0.methods[4], rejected: RejectedName("\n\($0.name)"), $0.frame(.rename))
            },
            Row(testDescription: "last way to sign in") { .lastWayToSignIn($0.frame(.remove)) },
            Row(testDescription: "devices") { values in
                .devices(
                    ["a", "b"].map {
                        AccountDevice(values.session($0), current: values.session("a").session, in: values.realm)
                    }, hasOthers: true, more: "after=1", values.frame(.devices))
            },
            Row(testDescription: "activity") { values in
                .activity(
                    [ActivityPageTests.event("identity.linked", ["provider": "google.com", "repeated": "2"])].map {
                        AccountActivity($0, in: values.realm)
                    }, older: "after=1", values.frame(.activity))
            },
            Row(testDescription: "no activity") { .activity([], older: nil, $0.frame(.activity)) },
            Row(testDescription: "email") { .changeEmail(of: $0.account, $0.frame(.email)) },
            Row(testDescription: "email, rejected") {
                .changeEmail(of: $0.account, submitted: $0.name, problem: .invalid, $0.frame(.email))
            },
            Row(testDescription: "password") { .accountPassword(of: $0.account, $0.rules, $0.frame(.password)) },
            Row(testDescription: "password, rejected") {
                .accountPassword(
                    of: $0.account, $0.rules, missing: PageTests.everyRequirement, $0.frame(.password))
            },
            Row(testDescription: "secure") { .secureAccount($0.account, $0.rules, $0.frame(.secure)) },
            Row(testDescription: "secure, without passwords") { .secureAccount($0.account, nil, $0.frame(.secure)) },
            Row(testDescription: "name") { .profile($0.name, $0.frame(.profile)) },
            Row(testDescription: "name, rejected") {
                .profile($0.name, rejected: RejectedName("\n\($0.name)"), $0.frame(.profile))
            },
            Row(testDescription: "language and time zone") { .preferences(of: $0.account, $0.frame(.preferences)) },
            Row(testDescription: "language and time zone, rejected") {
                .preferences(
                    of: $0.account,
                    rejected: RejectedPreferences(
                        language: .german, hasLanguage: false, timeZone: $0.name, hasTimeZone: false),
                    $0.frame(.preferences))
            },
            Row(testDescription: "telephone number") { .addPhone($0.frame(.phone)) },
            Row(testDescription: "telephone number, rejected") {
                .addPhone(submitted: $0.name, problem: .invalid, $0.frame(.phone))
            },
            Row(testDescription: "code of a telephone number") {
                .confirmPhone(
                    PendingPhoneNumber(number: $0.name, enrolment: $0.token), isRejected: true, $0.frame(.phone))
            },
            Row(testDescription: "authenticator app") { .addAuthenticator($0.pending, $0.frame(.authenticator)) },
            Row(testDescription: "authenticator app, rejected") {
                .addAuthenticator($0.pending, isRejected: true, $0.frame(.authenticator))
            },
            Row(testDescription: "new recovery codes") { .newRecoveryCodes($0.frame(.recoveryCodes)) },
            Row(testDescription: "recovery codes") { .recoveryCodes([$0.name], $0.frame(.recoveryCodes)) },
            Row(testDescription: "data") { .accountData($0.frame(.data)) },
            Row(testDescription: "deletion") { .deleteAccount(signInURL: nil, $0.frame(.delete)) },
            Row(testDescription: "deletion, not ticked") {
                .deleteAccount(isUnticked: true, signInURL: nil, $0.frame(.delete))
            },
            Row(testDescription: "deletion, signed out") {
                .deleteAccount(signInURL: "../signIn?account=1", $0.frame(.delete))
            },
        ]
        + AppleRevocation.allCases.map { revocation in
            Row(testDescription: "deleted: \(revocation)") { .accountDeleted(revocation, $0.frame(.delete)) }
        }
        + ([.formExpired, .tooManyAttempts(minutes: 5), .methodGone, .notAllowed, .deletionNotAllowed]
        as [Page.AccountFailure]).map { failure in
            Row(testDescription: "\(failure)") { .accountFailure(failure, $0.frame(.methods)) }
        }

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

    @Test("A page is accessible, and has at most 15 KB", arguments: rows)
    func accessible(row: Row) {
        let page = row.make(Values())
        PageTests.expectAccessible(page.html)
        #expect(page.html.utf8.count <= 15_000)
        let texts = Self.withoutAllowedScript(page).replacing(
            #/<style>.*?</style>| data-(passkey|accepted)="[^"]*"/#, with: "")
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
