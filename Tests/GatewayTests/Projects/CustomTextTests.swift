import HTTP
import Identity
import JSON
import Testing

@testable import Support

@Suite("Texts of a project on pages and in emails", .serialized)
struct CustomTextTests {
    private static func text(_ key: String, _ language: String, _ text: String) -> JSON {
        ["key": .string(key), "language": .string(language), "text": .string(text)]
    }

    @Test("Texts are set, returned, kept by Firebase's clients, and removed by an empty list")
    func setAndRemove() async throws {
        let configurator = try await Configurator()
        let texts: JSON = [
            Self.text("verifyEmail", "pt-BR", "Confirme: {app}"), Self.text("signInTitle", "zh-Hans", "欢迎"),
        ]
        let set = try await configurator.send(.patch, "config", ["texts": texts], mask: "texts")
        #expect(set.json["texts"] == texts)
        #expect(try await configurator.send(.patch, "config", [:]).json["texts"] == texts)
        #expect(try await configurator.send(.get, "config").json["texts"] == texts)
        let removed = try await configurator.send(.patch, "config", ["texts": []], mask: "texts")
        #expect(removed.json["texts"] == [])
    }

    @Test("A mask that names a text replaces or removes only this text")
    func oneText() async throws {
        let configurator = try await Configurator()
        let (german, english) = (Self.text("signInTitle", "de", "Hallo"), Self.text("signInTitle", "en", "Hello"))
        let other = Self.text("signInTitle", "en", "Hi")
        _ = try await configurator.send(.patch, "config", ["texts": [german, english]], mask: "texts")
        let masked = "texts.signInTitle.en"
        let changed = try await configurator.send(.patch, "config", ["texts": [other]], mask: masked)
        #expect(changed.json["texts"] == [other, german])
        let removed = try await configurator.send(.patch, "config", ["texts": []], mask: masked)
        #expect(removed.json["texts"] == [german])
        let unknown = try await configurator.send(.patch, "config", ["texts": []], mask: "texts.signInTitle.nl,text")
        #expect(unknown.json["texts"] == [german])
    }

    @Test(
        "An unknown key, an unknown language, a repeated text and a link are rejected, and nothing is stored",
        arguments: [
            (["signInTitel", "en", "Hi"], "/texts/0/key must be one of "),
            (["signInTitle", "nl", "Hoi"], "/texts/0/language must be one of "),
            (["signInTitle", "en-XA", "Hi"], "/texts/0/language must be one of "),
            (["signInTitle", "en", "Go to evil.example"], "/texts/0/text must have at most 100 characters"),
            (["signInTitle", "en", "Hi {user}"], "/texts/0/text must have at most 100 characters"),
        ])
    func rejected(values: [String], expected: String) async throws {
        let configurator = try await Configurator()
        let text = Self.text(values[0], values[1], values[2])
        let outcome = try await configurator.send(.patch, "config", ["texts": [text]], mask: "texts").outcome
        #expect(outcome.contains(expected), "\(outcome)")
        let valid = Self.text("signInTitle", "en", "Hi")
        let repeated = try await configurator.send(.patch, "config", ["texts": [valid, valid]], mask: "texts").outcome
        #expect(repeated.contains("/texts/1 must not repeat a key and language"))
        #expect(try await configurator.send(.get, "config").json["texts"] == [])
    }

    @Test("The scope `config` alone does not allow a change of texts, with which an email could deceive its reader")
    func scope() async throws {
        let gateway = try await TestGateway()
        let configurator = Configurator(
            gateway: gateway, serviceKey: try await ServiceKey(in: gateway, scopes: ServiceKeyScopes([.config])))
        let body: JSON = ["texts": [Self.text("verifyEmail", "en", "Pay now")]]
        let outcome = try await configurator.send(.patch, "config", body, mask: "texts").outcome
        #expect(outcome == "403 PERMISSION_DENIED : The service key lacks the scope trust.")
    }

    @Test("A preview shows texts that are not stored, sends nothing, and stores nothing")
    func preview() async throws {
        let configurator = try await Configurator()
        _ = try await configurator.send(
            .patch, "config", ["texts": [Self.text("signInHelp", "en", "Stored")]], mask: "texts")
        let email = try await configurator.send(
            .post, "texts:preview",
            ["subject": "verifyEmail", "language": "de", "texts": [Self.text("verifyEmail", "de", "Hallo <b> {app}")]])
        #expect(email.json["html"]?.string?.contains("Hallo &lt;b&gt; ") == true)
        #expect(email.json["text"]?.string?.contains("Hallo <b> ") == true)
        #expect(email.json["subject"]?.string?.isEmpty == false)
        let stored = try await configurator.send(.post, "texts:preview", ["subject": "signInPage"])
        #expect(stored.json["html"]?.string?.contains(">Stored</p>") == true)
        #expect(stored.json["subject"] == nil)
        let other = try await configurator.send(.post, "texts:preview", ["subject": "signInPage", "texts": []])
        #expect(other.json["html"]?.string?.contains("Stored") == false)
        for subject in ["resetPassword", "signInEmail", "changeEmail", "signUpPage", "resetPage"] {
            let body: JSON = ["subject": .string(subject), "appId": "default"]
            #expect(try await configurator.send(.post, "texts:preview", body).outcome == "200", "\(subject)")
        }
        #expect(try await configurator.send(.get, "config").json["texts"]?.elements.count == 1)
    }

    @Test(
        "A preview of an unknown email, language, app or text is rejected",
        arguments: [
            ["subject": "accountDeleted"], [:], ["subject": "signInPage", "language": "en-XA"],
            ["subject": "signInPage", "appId": "unknown"],
            ["subject": "signInPage", "texts": [text("signInHelp", "en", "evil.example")]],
        ] as [JSON])
    func rejectedPreview(body: JSON) async throws {
        let outcome = try await Configurator().send(.post, "texts:preview", body).outcome
        #expect(outcome.hasPrefix("400 "), "\(outcome)")
    }

    @Test("The sign-in page shows the texts of its language, and the built-in ones of other languages")
    func page() async throws {
        let configurator = try await Configurator()
        let texts: JSON = [
            Self.text("signInTitle", "en", "Welcome to {app} & <friends>"), Self.text("signInHelp", "en", "Ask {app}."),
        ]
        _ = try await configurator.send(
            .patch, "config", ["texts": texts, "brand": ["name": "<b>Acme"]], mask: "texts,brand.name")
        let visit = SignInPageVisit(configurator.gateway)
        let english = try await visit.open(["hl": "en"])
        #expect(english.text.contains("<h1>Welcome to <bdi>&lt;b&gt;Acme</bdi> &amp; &lt;friends&gt;</h1>"))
        #expect(english.text.contains(">Ask <bdi>&lt;b&gt;Acme</bdi>.</p>"))
        let german = try await visit.open(["hl": "de"])
        #expect(german.heading == "Anmelden")
        #expect(!german.text.contains("Ask"))
    }
}
