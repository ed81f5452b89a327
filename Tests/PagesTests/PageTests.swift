import Crypto
import FoundationEssentials
import Glibc
import HTTP
import Identity
import Providers
import Testing

@testable import Pages

@Suite("Pages")
struct PageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Values) -> Page
    }

    /// Values that may come from an attacker.
    struct Values: Sendable {
        var language = Language.english
        var projectName: String? = "Demo"
        var code = "code"
        var email = EmailAddress("ada@example.com")!
        var url = "https://app.example.com/in"
        var project: ID<Project> = ID("demo")
        var device = "Demo"
        var provider = "Demo"

        /// An identity from a configured provider, one from an unknown provider, a passkey and a telephone number.
        var listed: [ListedMethod] {
            let linkedAt = Instant(seconds: 1_767_225_600)
            var configured = Realm(
                Project(id: project, number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live),
                policy: Policy(.sekisho))
            configured.providers = [
                ProviderSettings(
                    provider: ProviderID("oidc.corp"), isEnabled: true, clientIDs: ["a"],
                    openID: OpenIDSettings(issuer: "https://corp.example", displayName: provider))
            ]
            return [
                LinkedIdentity(
                    provider: ProviderID("oidc.corp"), subject: "1", linkedAt: linkedAt, linkedDevice: device),
                LinkedIdentity(provider: ProviderID("other"), subject: "2", linkedAt: linkedAt),
            ].map { ListedMethod($0, in: configured) } + [
                ListedMethod(
                    Passkey(
                        id: ID("abcd"), rpID: "example.com", userHandle: "h", name: device, createdAt: linkedAt,
                        addedAt: linkedAt, lastUsedAt: nil, isBackedUp: false, transports: [], aaguid: "")),
                ListedMethod(PhoneNumber("+15555550100")!, addedAt: nil),
            ]
        }
        var method: AddedSignInMethod {
            AddedSignInMethod(provider: .google, subject: "1", addedAt: Instant(seconds: 1_767_225_600))
        }

        var context: Page.Context {
            Page.Context(
                language: language, projectName: projectName,
                brand: Brand(
                    privacy: BrandLink(stored: "https://example.com/\(code)"),
                    support: BrandLink(stored: "mailto:\(code)@example.com")), requestID: "1a2b")
        }
        var continueURL: ContinueURL? {
            let realm = Realm(
                Project(
                    id: project, number: 1, profile: .sekisho, authorizedDomains: ["app.example.com"], supporting: .live
                ),
                policy: Policy(.sekisho))
            return try? ContinueURL(url, in: realm)
        }
        var form: CodeForm { CodeForm(code: code, continueURL: continueURL) }
        var rules: PasswordRules {
            var policy = Policy(.sekisho)
            policy.requiresLowercase = true
            policy.requiresUppercase = true
            policy.requiresDigit = true
            policy.requiresSymbol = true
            return PasswordRules(policy)
        }
        var link: ActionLink? {
            continueURL.map {
                ActionLink(.signIn, code: code, in: ID(project), at: $0.text, apiKey: code, language: language)
            }
        }
    }

    static func account(isVerified: Bool) -> Account {
        let createdAt = Instant(seconds: 1_767_225_600)
        return Account(id: ID("ada"), emailIsVerified: isVerified, createdAt: createdAt, validSince: createdAt)
    }

    static let untilNewYear = NewAccountChoice.optional(until: Instant(seconds: 1_767_225_600))

    static let everyRequirement: [PasswordRequirement] = [
        .minimumLength(8), .maximumLength(4096), .lowercase, .uppercase, .digit, .symbol, .notBreached,
    ]

    static let rows: [Row] =
        [
            Row(testDescription: "verifyEmail") {
                .verifyEmail(
                    $0.email, of: account(isVerified: false), methods: [.password, .named($0.provider)],
                    removable: $0.listed, .none, $0.form, $0.context)
            },
            Row(testDescription: "verifyEmail, another mailbox was first") {
                .verifyEmail(
                    $0.email, of: account(isVerified: false), methods: [.password], removable: [], untilNewYear,
                    $0.form,
                    $0.context)
            },
            Row(testDescription: "verifyEmail, already verified") {
                .verifyEmail(
                    $0.email, of: account(isVerified: true), methods: [], removable: [], .none, $0.form, $0.context)
            },
            Row(testDescription: "emailVerified") { .emailVerified($0.email, continuing: $0.continueURL, $0.context) },
            Row(testDescription: "emailDisavowed") { .emailDisavowed($0.context) },
            Row(testDescription: "resetPassword") {
                .resetPassword(of: $0.email, $0.rules, removable: [], .none, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, rejected password") {
                .resetPassword(
                    of: $0.email, $0.rules, missing: everyRequirement, removable: [], .none, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, identities") {
                .resetPassword(of: $0.email, $0.rules, removable: $0.listed, .none, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, recovered") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .recovered($0.email), $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, removed") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .removed(.named($0.provider)), $0.form,
                    $0.context)
            },
            Row(testDescription: "removeSignInMethod") {
                .removeSignInMethod(
                    $0.method, named: .named($0.provider), userAgent: $0.device, of: $0.email, setsPassword: true,
                    $0.form, $0.context)
            },
            Row(testDescription: "removeSecondFactor") {
                .removeSecondFactor(
                    addedAt: $0.method.addedAt, isPhone: false, of: $0.email, setsPassword: true, $0.form, $0.context)
            },
            Row(testDescription: "signInMethodRemoved") {
                .signInMethodRemoved(.named($0.provider), takenEmail: nil, $0.context)
            },
            Row(testDescription: "signInMethodRemoved, address taken") {
                .signInMethodRemoved(.password, takenEmail: $0.email, $0.context)
            },
            Row(testDescription: "passwordReset") {
                .passwordReset(of: $0.email, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "changeEmail") {
                .changeEmail(
                    from: $0.email, to: $0.email, methods: [.named($0.provider)], removable: $0.listed, .none,
                    $0.form, $0.context)
            },
            Row(testDescription: "changeEmail, in place of a proven address") {
                .changeEmail(
                    from: $0.email, to: $0.email, methods: [], removable: [], .optional(until: nil), $0.form, $0.context
                )
            },
            Row(testDescription: "resetPassword, another mailbox was first") {
                .resetPassword(of: $0.email, $0.rules, removable: [], untilNewYear, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, new account") {
                .resetPassword(of: $0.email, $0.rules, removable: [], .required, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, account created") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .accountCreated($0.email), $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, confirmed") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .confirmed($0.email), $0.form, $0.context)
            },
            Row(testDescription: "emailChanged") {
                .emailChanged(to: $0.email, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "recoverEmail") {
                .recoverEmail(to: $0.email, from: $0.email, removable: $0.listed, $0.form, $0.context)
            },
            Row(testDescription: "emailRecovered") {
                .emailRecovered(to: $0.email, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "undoMerge") { .undoMerge(of: $0.email, setsPassword: true, $0.form, $0.context) },
            Row(testDescription: "undoMerge, no password") {
                .undoMerge(of: $0.email, setsPassword: false, $0.form, $0.context)
            },
            Row(testDescription: "mergeUndone") { .mergeUndone($0.email, continuing: $0.continueURL, $0.context) },
            Row(testDescription: "mergeUndone, address taken") {
                .mergeUndone(nil, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "signIn") { .signIn($0.email, $0.link, $0.context) },
            Row(testDescription: "signIn, no URL of the app") { .signIn($0.email, nil, $0.context) },
            Row(testDescription: "forgotPassword") { .forgotPassword($0.context) },
            Row(testDescription: "forgotPassword, invalid address") { .forgotPassword(isInvalid: true, $0.context) },
            Row(testDescription: "resetRequested") { .resetRequested(to: $0.email, $0.context) },
        ]
        + failures.map { failure in Row(testDescription: "\(failure)") { .failure(failure, $0.context) } }

    static let failures: [Page.Failure] = [
        .code(.invalid), .code(.expired), .code(.emailTaken), .code(.accountDisabled), .code(.notAllowed),
        .tooManyAttempts(minutes: 1), .tooManyAttempts(minutes: 5), .malformed, .notFound,
    ]

    @Test("Hostile values do not change the structure of a page", arguments: rows)
    func hostile(row: Row) {
        let script = #"</title></style>"><script>alert(1)</script>'&amp;"# + "\u{0}\u{202E}\r\n<!--"
        let hostile = Values(
            projectName: script, code: script, email: EmailAddress("a&'`{}/*b@example.com")!,
            url: #"https://app.example.com/"'><script>alert(1)</script>&lt;"#, project: ID(#"x"><script>/../"#),
            device: script, provider: script)
        let page = row.make(hostile).html
        #expect(Self.skeleton(page) == Self.skeleton(row.make(Values()).html))
        #expect(!page.contains("<script") && !page.contains("\u{0}"))
    }

    @Test("A page declares its language, and a Japanese page has no English words", arguments: rows)
    func languages(row: Row) {
        let pages = Language.allCases.map { row.make(Values(language: $0)).html }
        #expect(Set(pages).count == pages.count)
        for (page, language) in zip(pages, Language.allCases) {
            let direction = language == .arabic ? "rtl" : "ltr"
            #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"\(language.rawValue)\" dir=\"\(direction)\">"))
        }
        let japanese = row.make(Values(language: .japanese)).html
        let text = japanese.replacing(#/<style>.*?</style>|<[^>]*>/#, with: " ")
        let allowed = ["Demo", "example", "ada", "com", "UTC", "app"]
        let english = text.matches(of: #/[A-Za-z]{3,}/#).map { String($0.output) }.filter { !allowed.contains($0) }
        #expect(english == [])
    }

    @Test("In a pseudo-locale, every text of a page is in brackets, so it is in a table", arguments: rows)
    func pseudoLocales(row: Row) {
        for language in Language.pseudoLocales {
            let page = row.make(Values(language: language)).html
            let direction = language.isRightToLeft ? "rtl" : "ltr"
            #expect(page.contains("<html lang=\"\(language.rawValue)\" dir=\"\(direction)\">"))
            let values = #/<style>.*?</style>|<title>.*?</title>|<bdi>.*?</bdi>|<code>.*?</code>|<[^>]*>/#
            let text = page.replacing(values, with: " ")
            var depth = 0
            var unbracketed = ""
            for character in text {
                if character == "[" { depth += 1 }
                if depth == 0, character.isLetter { unbracketed.append(character) }
                if character == "]" { depth -= 1 }
            }
            #expect(unbracketed == "" && depth == 0, "\(text)")
        }
    }

    @Test(
        "A page has one heading and one main element, unique IDs, and a label for each visible input",
        arguments: rows, Language.allCases)
    func accessible(row: Row, language: Language) {
        Self.expectAccessible(row.make(Values(language: language)).html)
    }

    static func expectAccessible(_ text: String) {
        #expect(text.matches(of: /<h1>/).count == 1)
        #expect(text.matches(of: /<main id="content">/).count == 1)
        let ids = text.matches(of: #/ id="([^"]*)"/#).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        for reference in text.matches(of: #/ (?:for|aria-describedby|aria-labelledby)="([^"]*)"/#) {
            for id in reference.output.1.split(separator: " ") { #expect(ids.contains(String(id))) }
        }
        for input in text.matches(of: /<input [^>]*>/) where !input.output.contains(#"type="hidden""#) {
            let id = input.output.firstMatch(of: #/ id="([^"]*)"/#)?.output.1 ?? ""
            #expect(text.contains(#"<label for="\#(id)">"#))
            #expect(!input.output.contains("placeholder"))
        }
    }

    @Test("Every page has the brand's links in its footer, and only a failure the ID of the request", arguments: rows)
    func footer(row: Row) throws {
        let footer = try #require(row.make(Values()).html.firstMatch(of: /<\/main><footer>(.*)<\/footer>/)).output.1
        #expect(footer.contains(#"<ul><li><a href="mailto:code@example.com">Help</a></li><li>"#))
        let isFailure = Self.failures.contains { "\($0)" == row.testDescription }
        #expect(footer.contains("Request ID: <code>1a2b</code>") == isFailure)
    }

    @Test("The name of the brand replaces the name of the project, and no footer is shown without links")
    func brandName() {
        let context = Page.Context(language: .english, projectName: "demo", brand: Brand(name: "Acme"))
        let page = Page.forgotPassword(context).html
        #expect(
            page.contains(#"<p class="project"><bdi>Acme</bdi></p>"#) && !page.contains("demo")
                && !page.contains("<footer>"))
    }

    @Test("The logo has the name as its text, and another image for dark colours")
    func logo() {
        func image(_ id: String) -> BrandImage {
            BrandImage(id: ID(id), header: ImageHeader(stored: .png, width: 200, height: 50))
        }
        var brand = Brand(name: "A & B", logo: image("light"), darkLogo: image("dark"))
        func page(imageDirectory: String?) -> Page {
            .forgotPassword(
                Page.Context(
                    language: .english, projectName: "demo", brand: brand, imageDirectory: imageDirectory))
        }
        let html = page(imageDirectory: "assets/").html
        #expect(
            html.contains(
                #"""
                <p class="project"><picture><source media="(prefers-color-scheme: dark)" srcset="assets/dark">\#
                <img src="assets/light" alt="A &amp; B" width="200" height="50"></picture></p>
                """#))
        #expect(!html.contains("rel=\"icon\""))
        #expect(page(imageDirectory: nil).html.contains(#"<p class="project"><bdi>A &amp; B</bdi></p>"#))
        brand.logo = nil
        #expect(!page(imageDirectory: "assets/").html.contains("<img"), "a dark logo alone is not shown")
    }

    @Test("A rejected form has a summary that is announced, focused and linked to the field, and a title that says so")
    func rejectedForm() {
        let values = Values()
        let rejected = Page.forgotPassword(isInvalid: true, values.context).html
        #expect(rejected.contains("<title>Error: Reset your password – Demo</title>"))
        #expect(
            rejected.contains(
                #"""
                <div id="problem" role="alert" class="problem" tabindex="-1" autofocus><p><a href="#address">
                """#))
        #expect(rejected.matches(of: /autofocus/).count == 1)
        let hostile = Values(projectName: #"" id="problem""#, device: #"" id="problem""#).context
        #expect(Page.forgotPassword(hostile).html.contains("<title>Reset"))
        #expect(Page.forgotPassword(values.context).html.contains(##"<body><a class="skip" href="#content">"##))
    }

    @Test("The verification page offers \"This was not me\" until the address is verified")
    func disavowal() {
        let values = Values()
        for isVerified in [false, true] {
            let page = Page.verifyEmail(
                values.email, of: Self.account(isVerified: isVerified), methods: [], removable: [], .none, values.form,
                values.context)
            #expect(page.html.contains("This was not me") != isVerified)
            #expect(page.html.contains(#"<time datetime="2026-01-01T00:00:00.000Z">1 January 2026, 00:00 UTC</time>"#))
        }
    }

    @Test("The declared hash of the stylesheet is the SHA-256 digest of its text")
    func stylesheet() {
        let hash = Data(Digest.sha256(Array("\(Stylesheet.text)".utf8))).base64EncodedString()
        #expect(Stylesheet.sha256 == hash)
        #expect(!"\(Stylesheet.text)".contains { "<>&\n".contains($0) })
    }

    @Test(
        "The declared hash of a script is the SHA-256 digest of its text", arguments: [PageScript.delivery, .sdkFrame])
    func scripts(script: PageScript) {
        #expect(script.sha256 == Data(Digest.sha256(Array("\(script.text)".utf8))).base64EncodedString())
    }

    @Test("The SDK's frame accepts events only from its own origin, and the result page sends events only to its own")
    func frameScript() {
        let frame = "\(PageScript.sdkFrame.text)"
        #expect(frame.contains("if(e.origin!==location.origin||"))
        #expect("\(PageScript.delivery.text)".contains("postMessage(message,location.origin)"))
        #expect(!frame.contains(#""*""#) && !"\(PageScript.delivery.text)".contains(#""*""#))
    }

    @Test("Text has a contrast of at least 7:1 and borders of at least 3:1, in the light and in the dark colours")
    func contrast() throws {
        let palettes = "\(Stylesheet.text)".matches(of: #/:root\{([^}]*--card:[^}]*)\}/#).map { String($0.output.1) }
        try #require(palettes.count == 2)
        for palette in palettes {
            let colours = Dictionary(
                uniqueKeysWithValues: palette.matches(of: /--([a-z-]+):#([0-9a-f]+)/).map {
                    (String($0.output.1), Self.luminance(String($0.output.2)))
                })
            func contrast(_ a: String, _ b: String) throws -> Double {
                let pair = [try #require(colours[a]), try #require(colours[b])].sorted()
                return (pair[1] + 0.05) / (pair[0] + 0.05)
            }
            for text in ["text", "soft", "strong", "wrong"] { #expect(try contrast(text, "card") >= 7, "\(text)") }
            #expect(try contrast("on-strong", "strong") >= 7)
            #expect(try contrast("line", "card") >= 3)
        }
    }

    /// WCAG 2.2, relative luminance.
    private static func luminance(_ hexadecimal: String) -> Double {
        let digits = hexadecimal.count == 3 ? hexadecimal.map { "\($0)\($0)" }.joined() : hexadecimal
        let number = Int(digits, radix: 16) ?? 0
        let parts = [number >> 16, number >> 8 & 255, number & 255].map { (part: Int) -> Double in
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// Returns the tags in order, with the names of their attributes.
    static func skeleton(_ text: String) -> [String] {
        text.replacing(#/<style>.*?</style>/#, with: "").matches(of: #/<[^>]*>/#).map {
            String($0.output).replacing(#/="[^"]*"/#, with: "")
        }
    }
}
