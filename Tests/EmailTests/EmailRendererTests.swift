import HTML
import Identity
import Pages
import Providers
import SMTP
import Testing

@testable import Email

@Suite("Email renderer")
struct EmailRendererTests {
    static let kindsAndLanguages = OutgoingEmail.Kind.allCases.flatMap { kind in Language.allCases.map { (kind, $0) } }
    static let recipient = "ada.lovelace@mailbox.example"

    /// A realm whose names contain characters that HTML must escape.
    static func realm(
        texts: CustomTexts = CustomTexts(), _ change: (inout EmailSettings) -> Void = { _ in }
    ) -> SendingRealm {
        var realm = Realm(
            Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live),
            policy: Policy(.sekisho),
            providers: [
                ProviderSettings(
                    provider: ProviderID("oidc.corp"), isEnabled: true, clientIDs: ["a"],
                    openID: OpenIDSettings(issuer: "https://corp.example", displayName: "Corp <SSO>"))
            ])
        change(&realm.project.emailSettings)
        realm.project.texts = texts
        return SendingRealm(realm: realm, name: "Tom & Jerry's <App>")
    }

    /// - Parameter lifetime: how long the link of the email works.
    static func email(_ kind: OutgoingEmail.Kind, _ language: Language?, lasting lifetime: Duration = .seconds(3600))
        throws
        -> OutgoingEmail
    {
        let now = Instant(seconds: 1_800_000_000)
        return OutgoingEmail(
            id: ID("0b0e7c1a-1111-4222-8333-444455556666"), kind: kind, account: ID("ada"),
            recipient: try #require(EmailAddress(recipient)), language: language, content: [], createdAt: now,
            expiresAt: now + lifetime)
    }

    static func renderer() throws -> EmailRenderer {
        EmailRenderer(sender: try #require(EmailAddress("no-reply@auth.example"))) { settings, linkMode in
            settings.actionBase(of: linkMode, at: "https://auth.example")
        }
    }

    /// Renders an email of `kind`. Without `payload`, the email has a code if its kind has a link.
    static func message(
        _ kind: OutgoingEmail.Kind, _ language: Language? = .english, lasting lifetime: Duration = .seconds(3600),
        _ payload: EmailPayload? = nil, in realm: SendingRealm = realm()
    ) throws -> Message {
        let payload = payload ?? EmailPayload(code: kind.linkMode == nil ? nil : "code", apiKey: "key")
        let rendered = try renderer().message(of: try email(kind, language, lasting: lifetime), payload, for: realm)
        return try #require(rendered)
    }

    /// Returns `text` as HTML.
    static func escaped(_ text: String) -> String { Markup.text(text).html }

    @Test(
        "A deletion notice explains how to disconnect the app at Apple only if the gateway cannot disconnect it",
        arguments: Language.allCases)
    func staysConnected(language: Language) throws {
        var payload = EmailPayload()
        #expect(try !Self.message(.accountDeleted, language, payload).text.contains("Apple"))
        payload.staysConnectedToApple = true
        let message = try Self.message(.accountDeleted, language, payload)
        #expect(message.text.contains("Apple"))
        #expect(!message.html.contains("<App>"))
    }

    @Test(
        "The HTML contains the text, escaped; the subject names the project; no part contains the recipient's address",
        arguments: kindsAndLanguages)
    func sameText(kind: OutgoingEmail.Kind, language: Language) throws {
        let message = try Self.message(kind, language)
        #expect(message.subject.contains("Tom & Jerry's <App>"))
        #expect(message.html.contains("<html lang=\"\(language.rawValue)\" dir="))
        #expect(!message.html.contains("<App>"))
        for line in message.text.split(separator: "\n") { #expect(message.html.contains(Self.escaped(String(line)))) }
        for text in [message.subject, message.text, message.html] {
            #expect(!text.contains("ada@") && !text.contains("mailbox.example"))
        }
        #expect(message.to == Self.recipient)
    }

    @Test("The HTML loads nothing and runs no script", arguments: kindsAndLanguages)
    func inert(kind: OutgoingEmail.Kind, language: Language) throws {
        let html = try Self.message(kind, language).html.lowercased()
        for word in ["<img", "<script", "<link", "<form", "url(", " src", "@import"] {
            #expect(!html.contains(word))
        }
    }

    @Test("The email that resets a password says what a new password removes", arguments: Language.allCases)
    func resetRemovesMethods(language: Language) throws {
        let sentence = Text(EmailText.resetRemovesMethods).string(in: language)
        #expect(try !Self.message(.resetPassword, language).text.contains(sentence))
        var realm = Self.realm().realm
        realm.policy.resetUnlinksIdentities = true
        let removing = SendingRealm(realm: realm, name: "Demo")
        #expect(try Self.message(.resetPassword, language, in: removing).text.contains(sentence))
        #expect(try !Self.message(.verifyEmail, language, in: removing).text.contains(sentence))
    }

    /// A realm whose brand has every member that emails show.
    static func branded(_ format: ImageHeader.Format = .png) -> SendingRealm {
        var realm = realm().realm
        realm.project.brand = Brand(
            name: "Acme", color: RGBColor("#ffcc00"),
            logo: BrandImage(id: ID("a"), header: ImageHeader(stored: format, width: 400, height: 80)),
            support: BrandLink("mailto:help@acme.example", acceptsEmail: true))
        return SendingRealm(realm: realm, name: "Demo", logos: [ID("a"): [1, 2, 3]])
    }

    @Test("An email has the name, the logo, the colours and the address of the brand", arguments: kindsAndLanguages)
    func brand(kind: OutgoingEmail.Kind, language: Language) throws {
        let message = try Self.message(kind, language, in: Self.branded())
        #expect(message.from.name == "Acme" && message.subject.contains("Acme"))
        #expect(message.inlineImages == [InlineImage(contentID: "logo", mediaType: "image/png", content: [1, 2, 3])])
        #expect(message.html.contains(#"<img src="cid:logo" alt="Acme" width="200" height="40" "#))
        #expect(message.html.matches(of: /[ ]src="/).count == 1, "nothing is loaded from a server")
        #expect(message.html.contains(".button{background:#ffcc00!important;color:#000000!important"))
        #expect(message.html.contains(#"<meta name="color-scheme" content="light dark">"#))
        #expect(message.html.contains(#"<a href="mailto:help@acme.example" class="link" "#))
        #expect(message.text.hasSuffix("\n\nAcme\nhelp@acme.example\n"))
        for text in [message.subject, message.text, message.html] { #expect(!text.contains("Demo")) }
    }

    @Test("The brand of the app replaces members of the project's, and other apps have the project's")
    func brandOfApp() throws {
        var realm = Self.branded().realm
        var app = App(id: ID("go"))
        app.settings.brand = Brand(
            name: "Acme Go", logo: BrandImage(id: ID("b"), header: ImageHeader(stored: .png, width: 40, height: 40)))
        realm.project.apps = [app, App(id: ID("web"))]
        let sending = SendingRealm(realm: realm, name: "Demo", logos: [ID("a"): [1, 2, 3], ID("b"): [4]])
        func message(of app: ID<App>?) throws -> Message {
            var payload = EmailPayload(code: "code", apiKey: "key")
            payload.app = app
            return try Self.message(.verifyEmail, .english, payload, in: sending)
        }
        let ofApp = try message(of: ID("go"))
        #expect(ofApp.from.name == "Acme Go" && ofApp.subject.contains("Acme Go"))
        #expect(ofApp.inlineImages.map(\.content) == [[4]])
        #expect(ofApp.html.contains(".button{background:#ffcc00!important"))
        for other in [nil, ID<App>("web"), ID("account")] {
            let message = try message(of: other)
            #expect(message.from.name == "Acme" && message.inlineImages.map(\.content) == [[1, 2, 3]])
        }
    }

    @Test("A logo that many mail programs do not show is left out, and the name is shown instead")
    func webp() throws {
        let message = try Self.message(.verifyEmail, in: Self.branded(.webp))
        #expect(message.inlineImages.isEmpty && !message.html.contains("<img") && message.html.contains("<bdi>Acme"))
    }

    @Test("The link is in the text, and in the HTML as a button and as a written URL", arguments: kindsAndLanguages)
    func link(kind: OutgoingEmail.Kind, language: Language) throws {
        let message = try Self.message(kind, language)
        let links = message.text.split(separator: "\n").filter { $0.hasPrefix("https://") }
        guard let mode = kind.linkMode else {
            #expect(links.isEmpty && !message.html.contains("href"))
            return
        }
        let link =
            "https://auth.example/__/auth/action?mode=\(mode.rawValue)&oobCode=code&apiKey=key&lang=\(language.rawValue)"
        #expect(links == [link[...]])
        #expect(message.html.contains("href=\"\(Self.escaped(link))\""))
        #expect(message.html.contains(">\(Self.escaped(link))</a>"))
    }

    @Test(
        "An email states how long its link works, rounded down",
        arguments: [
            (Duration.seconds(600), "10 minutes", "10分間"), (.seconds(3600), "1 hour", "1時間"),
            (.seconds(5400), "90 minutes", "90分間"), (.seconds(86_400), "24 hours", "24時間"),
            (.seconds(100_000), "27 hours", "27時間"), (.seconds(604_800), "7 days", "7日間"),
            (.seconds(659), "10 minutes", "10分間"),
        ])
    func lifetime(lifetime: Duration, english: String, japanese: String) throws {
        for kind in OutgoingEmail.Kind.allCases where kind.linkMode != nil {
            #expect(try Self.message(kind, .english, lasting: lifetime).text.contains(" \(english) "))
            #expect(try Self.message(kind, .japanese, lasting: lifetime).text.contains("から\(japanese)"))
        }
    }

    @Test("An email explains what to do if the recipient did not cause it", arguments: OutgoingEmail.Kind.allCases)
    func advice(kind: OutgoingEmail.Kind) throws {
        let (english, japanese) = (try Self.message(kind, .english).text, try Self.message(kind, .japanese).text)
        let isNotice = kind.rawValue.hasPrefix("notice.")
        #expect(english.contains(isNotice ? "If you did not" : "ignore this email"))
        #expect(japanese.contains("お心当たりがない場合"))
    }

    @Test(
        "Sign-in methods are named in everyday words",
        arguments: [
            (ProviderID.apple, "Apple", "Apple"), (.google, "Google", "Google"), (.password, ": Password.", "パスワード"),
            (.phone, ": Phone number.", "電話番号"), (.emailLink, ": Email link.", "メールのリンク"),
            (ProviderID("oidc.corp"), "Corp <SSO>", "Corp <SSO>"), (ProviderID("evil"), ": Another service.", "別のサービス"),
        ])
    func provider(provider: ProviderID, english: String, japanese: String) throws {
        for kind in [OutgoingEmail.Kind.identityLinked, .identityUnlinked] {
            let payload = EmailPayload(code: kind.linkMode.map { _ in "code" }, provider: provider)
            #expect(try Self.message(kind, .english, payload).text.contains(english))
            let message = try Self.message(kind, .japanese, payload)
            #expect(message.text.contains(japanese))
            #expect(!message.html.contains("<SSO>"))
        }
    }

    @Test("The notice of a merge names the sign-in methods, and offers to undo the merge only if it has a code")
    func merged() throws {
        let methods: [ProviderID] = [.apple, .password, ProviderID("evil")]
        for (code, undo) in [("code" as String?, true), (nil, false)] {
            let payload = EmailPayload(code: code, methods: methods)
            let english = try Self.message(.accountsMerged, .english, payload)
            #expect(english.text.contains("Apple, Password, Another service"))
            #expect(english.html.contains("Undo the merge") == undo)
            #expect(english.text.contains("https://") == undo)
            let japanese = try Self.message(.accountsMerged, .japanese, payload)
            #expect(japanese.text.contains("Apple、パスワード、別のサービス"))
            #expect(japanese.html.contains("統合を取り消す") == undo)
        }
        let removal = EmailPayload(
            removals: [EmailPayload.Removal(provider: .passkey, code: "removal")], methods: methods)
        for (language, label) in [(Language.english, "Remove the passkey"), (.japanese, "パスキーを削除する")] {
            let message = try Self.message(.accountsMerged, language, removal)
            #expect(message.html.contains(label))
            #expect(message.text.contains("mode=removeSignInMethod"))
        }
        let withoutMethods = try Self.message(.accountsMerged, .english, EmailPayload(methods: []))
        #expect(!withoutMethods.text.contains("Ways to sign in"))
    }

    @Test("The language is that of the request, or the project's if the request has none")
    func language() throws {
        let realm = Self.realm { $0.language = .japanese }
        #expect(try Self.message(.signIn, nil, in: realm).subject.contains("ログイン"))
        #expect(try Self.message(.signIn, .english, in: realm).subject.contains("Sign in"))
    }

    @Test("The project's own sender, reply address, action URL and subjects replace the defaults")
    func settings() throws {
        let realm = Self.realm {
            $0.senderAddress = EmailAddress("hello@app.example")
            $0.senderName = "The App"
            $0.replyTo = EmailAddress("help@app.example")
            $0.actionURL = "https://app.example/act"
            $0.subjects = [.signIn: [.english: "Come in"]]
        }
        let message = try Self.message(.signIn, .english, in: realm)
        #expect(message.from == Mailbox(address: "hello@app.example", name: "The App"))
        #expect(message.replyTo == "help@app.example")
        #expect(message.subject == "Come in")
        #expect(message.html.contains("<title>Come in</title>"))
        #expect(message.text.contains("\nhttps://app.example/act?mode=signIn&"))
        #expect(try Self.message(.signIn, .japanese, in: realm).subject.contains("ログイン用リンク"))
        #expect(
            try Self.message(.signIn).from == Mailbox(address: "no-reply@auth.example", name: "Tom & Jerry's <App>"))
    }

    @Test("The project's own texts replace the built-in ones of their language, escaped and without links")
    func customTexts() throws {
        let texts = CustomTexts([
            .signInEmail: [.english: "Come <b>in</b> to {app}."], .signInEmailButton: [.english: "Come in"],
        ])
        let message = try Self.message(.signIn, .english, in: Self.realm(texts: texts))
        #expect(message.text.contains("Come <b>in</b> to Tom & Jerry's <App>."))
        #expect(message.html.contains("Come &lt;b&gt;in&lt;/b&gt; to Tom &amp; Jerry"))
        #expect(message.html.contains(">Come in</a>"))
        #expect(message.text.contains("Anyone who has this link can sign in as you."))
        let builtIn = try Self.message(.signIn, .german)
        #expect(try Self.message(.signIn, .german, in: Self.realm(texts: texts)).text == builtIn.text)
    }

    @Test(
        "A notice links to the gateway's page for each removable identity, even if the app handles the other links",
        arguments: Language.allCases)
    func removals(language: Language) throws {
        let realm = Self.realm { $0.actionURL = "https://app.example/act" }
        let payload = EmailPayload(removals: [
            EmailPayload.Removal(provider: .google, code: "first"),
            EmailPayload.Removal(provider: ProviderID("oidc.corp"), code: "second"),
        ])
        let message = try Self.message(.passwordChanged, language, payload, in: realm)
        let page = "https://auth.example/__/auth/action?mode=removeSignInMethod&oobCode="
        let (names, codes) = (["Google", "Corp <SSO>"], ["first", "second"])
        let lines = message.text.split(separator: "\n")
        for (name, code) in zip(names, codes) {
            let label = Text(EmailText.removeNamed, [.provider: .name(name)]).string(in: language)
            // Without an API key in the payload, the link contains the project ID instead.
            let link = "\(page)\(code)&apiKey=demo&lang=\(language.rawValue)"
            #expect(zip(lines, lines.dropFirst()).contains { $0 == label && $1 == link })
            #expect(
                message.html.contains(Self.escaped(label)) && message.html.contains("href=\"\(Self.escaped(link))\""))
        }
        #expect(message.text.contains(Text(EmailText.methodsStillWork).string(in: language)))
        let linked = try Self.message(.identityLinked, language, in: realm)
        #expect(linked.text.contains("\n\(page)code&"))
        #expect(try !Self.message(.passwordChanged, language, in: realm).text.contains("still work"))
    }

    @Test("The same email is always rendered as the same message", arguments: OutgoingEmail.Kind.allCases)
    func stability(kind: OutgoingEmail.Kind) throws {
        #expect(try Self.message(kind) == Self.message(kind))
        #expect(try Self.message(kind).id == "0b0e7c1a-1111-4222-8333-444455556666")
        #expect(try Self.message(kind).date == 1_800_000_000)
    }

    @Test(
        "A notice to an address that nobody has verified has no link, and does not mention one",
        arguments: [OutgoingEmail.Kind.emailChanged, .identityLinked])
    func withoutLink(kind: OutgoingEmail.Kind) throws {
        for (language, word) in [(Language.english, "link"), (.japanese, "リンク")] {
            let text = try Self.message(kind, language, EmailPayload(provider: .google)).text
            #expect(!text.contains("https://") && !text.lowercased().contains(word), "\(text)")
        }
    }

    @Test("An email that requires a link is not rendered without a code")
    func withoutCode() throws {
        for kind in OutgoingEmail.Kind.allCases where kind.linkMode != nil && !kind.linkIsOptional {
            #expect(
                try Self.renderer().message(of: Self.email(kind, .english), EmailPayload(), for: Self.realm()) == nil
            )
        }
    }
}
