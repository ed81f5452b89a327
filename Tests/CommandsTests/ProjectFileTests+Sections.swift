import Crypto
import Encoding
import Identity
import Testing

@testable import Commands
@testable import Gateway

/// Single sections of project files.
extension ProjectFileTests {
    @Test("Texts replace all earlier texts, and are removed by null and by pruning")
    func texts() throws {
        func texts(
            _ section: String, _ before: ProjectConfiguration, pruning: Bool = false
        ) throws -> ProjectConfiguration {
            try Self.applied(#"{"project": "demo"\#(section)}"#, to: before, pruning: pruning)
        }
        let first = try texts(
            #", "texts": {"signInTitle": {"en": "Hi", "ja": "ようこそ"}, "verifyEmail": {"en": "To {app}"}}"#,
            Self.newProject)
        #expect(
            first.changes(since: Self.newProject).map(\.line) == [
                "+ texts.signInTitle.en: Hi", "+ texts.signInTitle.ja: ようこそ", "+ texts.verifyEmail.en: To {app}",
            ])
        #expect(first.changesTrust(since: Self.newProject))
        let second = try texts(#", "texts": {"signInTitle": {"en": "Hello"}, "verifyEmail": null}"#, first)
        #expect(
            second.changes(since: first).map(\.line) == [
                "~ texts.signInTitle.en: Hi → Hello", "- texts.signInTitle.ja: ようこそ",
                "- texts.verifyEmail.en: To {app}",
            ])
        #expect(try texts("", second).changes(since: second).isEmpty)
        for reset in [try texts("", second, pruning: true), try texts(#", "texts": null"#, second)] {
            #expect(reset.realm.project.texts == CustomTexts())
        }
        #expect(throws: ConfigurationError.self) {
            try texts(#", "texts": {"signInTitle": {"en": "evil.example"}}"#, Self.newProject)
        }
    }

    @Test("Blocking functions are added, replaced as a whole, removed by null, and reset by pruning")
    func blockingFunctions() throws {
        func functions(
            _ section: String, _ before: ProjectConfiguration, pruning: Bool = false
        ) throws -> ProjectConfiguration {
            try Self.applied(#"{"project": "demo"\#(section)}"#, to: before, pruning: pruning)
        }
        let first = try functions(
            #", "blockingFunctions": {"triggers": {"beforeCreate": {"functionUri": "https://hooks.example/c"}}, "forwardInboundCredentials": {"idToken": true}}"#,
            Self.newProject)
        #expect(
            first.changes(since: Self.newProject).map(\.line) == [
                "+ blockingFunctions.beforeCreate: https://hooks.example/c",
                "+ blockingFunctions.forwards.idToken: true",
            ])
        #expect(first.changesTrust(since: Self.newProject))
        let second = try functions(
            #", "blockingFunctions": {"triggers": {"beforeSignIn": {"functionUri": "https://hooks.example/s"}}}"#, first
        )
        #expect(
            second.changes(since: first).map(\.line) == [
                "- blockingFunctions.beforeCreate: https://hooks.example/c",
                "+ blockingFunctions.beforeSignIn: https://hooks.example/s",
            ])
        #expect(second.realm.project.blockingFunctions.forwardsIDToken)
        #expect(try functions("", second).changes(since: second).isEmpty)
        for reset in [
            try functions("", second, pruning: true), try functions(#", "blockingFunctions": null"#, second),
        ] {
            #expect(reset.realm.project.blockingFunctions.isEmpty)
        }
        #expect(throws: ConfigurationError.self) {
            try functions(
                #", "blockingFunctions": {"triggers": {"beforeCreate": {"functionUri": "http://hooks.example/c"}}}"#,
                Self.newProject)
        }
        #expect(throws: ConfigurationError.self) {
            try functions(#", "blockingFunctions": {"triggers": {"beforeFoo": {}}}"#, Self.newProject)
        }
    }

    private static func endpointLines(
        _ json: String, to current: [EventEndpoint], pruning: Bool = false
    ) throws -> [String] {
        try parsed(#"{"project": "demo", "eventEndpoints": "# + json + "}")
            .endpointEdit(of: current, pruning: pruning).changes.map(\.line)
    }

    @Test("Event endpoints are created, changed and, with pruning, removed")
    func eventEndpoints() throws {
        let url = CallbackURL("https://backend.example.com/", allowsLoopback: false)
        let current = [
            EventEndpoint(
                id: ID("backend"), url: url, kinds: [.accountDeleted], includesProfile: true,
                createdAt: Instant(seconds: 0)),
            EventEndpoint(id: ID("feed"), url: nil, kinds: nil, createdAt: Instant(seconds: 0)),
        ]
        let same = #"{"backend": {"url": "https://backend.example.com/", "kinds": ["account.deleted"]}}"#
        #expect(try Self.endpointLines(same, to: current).isEmpty)
        #expect(
            try Self.endpointLines(same, to: current, pruning: true) == [
                "- eventEndpoints.backend.include: profile", "- eventEndpoints.feed: feed only",
            ])
        #expect(
            try Self.endpointLines(
                #"{"backend": {"url": null, "kinds": []}, "new": {"include": ["profile"]}}"#, to: current) == [
                    "- eventEndpoints.backend.kinds: account.deleted",
                    "- eventEndpoints.backend.url: https://backend.example.com/",
                    "+ eventEndpoints.new: with a new secret", "+ eventEndpoints.new.include: profile",
                ])
        let untouched = try Self.parsed(#"{"project": "demo"}"#).endpointEdit(of: current, pruning: false)
        #expect(untouched.changes.isEmpty && untouched.steps.isEmpty)
    }

    @Test(
        "An invalid event endpoint is reported",
        arguments: [
            #"{"Backend": {}}"#, #"{"backend": {"url": "http://backend.example.com/"}}"#,
            #"{"backend": {"kinds": ["account.exploded"]}}"#, #"{"backend": {"include": ["password"]}}"#,
            #"{"backend": {"secret": "whsec_x"}}"#, #"{"backend": []}"#,
        ])
    func invalidEventEndpoint(json: String) {
        #expect(throws: ConfigurationError.self) { try Self.endpointLines(json, to: []) }
    }

    @Test("Brands are changed member by member, removed by null, and reset by pruning")
    func brands() throws {
        func changed(
            _ section: String, _ before: ProjectConfiguration, pruning: Bool = false
        ) throws -> ProjectConfiguration {
            try Self.applied(#"{"project": "demo"\#(section)}"#, to: before, pruning: pruning)
        }
        let brand = ##"{"name": "Acme", "color": "#1D4EA8", "supportUrl": "mailto:help@acme.example"}"##
        let first = try changed(
            #", "brand": \#(brand), "apps": {"default": {"brand": {"name": "Acme Go"}}}"#, Self.newProject)
        #expect(
            first.changes(since: Self.newProject).map(\.line) == [
                "+ apps.default.brand.name: Acme Go", "+ brand.color: #1d4ea8", "+ brand.name: Acme",
                "+ brand.supportUrl: mailto:help@acme.example",
            ])
        let second = try changed(#", "brand": {"name": null, "termsUrl": "https://acme.example/terms"}"#, first)
        #expect(
            second.changes(since: first).map(\.line) == [
                "- brand.name: Acme", "+ brand.termsUrl: https://acme.example/terms",
            ])
        #expect(try changed(#", "brand": null"#, second).realm.project.brand == Brand())
        let pruned = try changed(#", "apps": {"default": {}}"#, second, pruning: true)
        #expect(pruned.realm.project.brand == Brand() && pruned.apps[0].app.settings.brand == Brand())
        #expect(throws: ConfigurationError.self) { try Self.parsed(#"{"project": "demo", "brand": {"color": "red"}}"#) }
    }

    @Test("Images of brands are read from files, each once, and a file that is no image is a problem")
    func brandImages() throws {
        let file = try Self.parsed(
            #"""
            {"project": "demo", "brand": {"logoFile": "logo.png", "faviconFile": "logo.png"},
             "apps": {"default": {"brand": {"logoFile": "logo.png"}}}}
            """#)
        #expect(file.uploads.map(\.content) == [Self.logo])
        var configuration = Self.newProject
        file.apply(to: &configuration, pruning: false)
        let brand = configuration.realm.project.brand
        #expect(brand.logo?.id.rawValue == Hexadecimal.encode(Digest.sha256(Self.logo)))
        #expect(brand.logo == brand.favicon && configuration.apps[0].app.settings.brand.logo == brand.logo)
        let removed = try Self.applied(#"{"project": "demo", "brand": {"logoFile": null}}"#, to: configuration)
        #expect(removed.realm.project.brand.logo == nil && removed.realm.project.brand.favicon != nil)
        for path in ["key.p8", "missing"] {
            #expect(throws: ConfigurationError.self) {
                try Self.parsed(#"{"project": "demo", "brand": {"logoFile": "\#(path)"}}"#)
            }
        }
    }

    @Test("Email settings can be removed one by one or all at once, and the member subjects replaces all subjects")
    func emailSettings() throws {
        let before = try Self.applied(Self.completeFile)
        func changed(_ section: String, pruning: Bool = false) throws -> EmailSettings {
            try Self.applied(#"{"project": "demo", "email": \#(section)}"#, to: before, pruning: pruning).realm
                .project.emailSettings
        }
        var expected = before.realm.project.emailSettings
        expected.senderName = nil
        expected.language = .english
        expected.subjects = [.signIn: [.english: "Hello"]]
        #expect(
            try changed(#"{"senderName": null, "language": null, "subjects": {"signIn": {"en": "Hello"}}}"#) == expected
        )
        #expect(try changed("{}") == before.realm.project.emailSettings)
        #expect(try changed("null") == EmailSettings())
        #expect(try changed(#"{"senderName": "A"}"#, pruning: true) == EmailSettings(senderName: "A"))
    }
}
