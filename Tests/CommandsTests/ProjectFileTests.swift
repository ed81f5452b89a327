import Crypto
import Encoding
import Identity
import Providers
import Testing

@testable import Commands
@testable import Gateway

@Suite("Project files")
struct ProjectFileTests {
    /// A project file with every section.
    static let completeFile = #"""
        {"project": "demo", "name": "Demo", "profile": "firebase",
         "policy": {"allowsAnonymous": false, "minimumPasswordLength": 12},
         "authorizedDomains": ["App.example.com"],
         "email": {"senderAddress": "No-Reply@example.com", "senderName": "Example", "replyTo": "help@example.com",
            "actionUrl": "https://app.example.com/account", "language": "ja",
            "subjects": {"resetPassword": {"en": "Reset", "ja": "再設定"}, "accountDeleted": {"en": "Gone"}}},
         "providers": {
            "apple.com": {"clientIds": ["com.example.app"], "teamId": "TEAM123456", "keyId": "KEY1234567",
                "acceptsUnhashedNonces": true, "privateKeyFile": "key.p8"},
            "google.com": {"enabled": false, "clientIds": ["g"], "clientSecretFile": "google"},
            "oidc.corp": {"clientIds": ["c"], "issuer": "https://id.example.com", "displayName": "Corp",
                "trustsEmail": true, "clientSecret": "s"}},
         "apps": {
            "default": {"signInMethods": ["apple.com", "password"]},
            "ios": {"name": "App", "platform": "ios", "distribution": "appStore", "bundleIds": ["com.example.app"],
                "clientIds": {"google.com": ["ios"]},
                "exemption": {"kind": "thirdPartyClient", "reason": "because"}}}}
        """#

    /// The texts of the files that a project file can name, by path.
    static let files = ["key.p8": "PEM\n", "google": "secret\n", "empty": "", "blank": " \n"]

    /// The configuration of a new project, to which no file has been applied.
    static let newProject = ProjectConfiguration(
        realm: Realm(
            Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: ["localhost"], supporting: .live),
            policy: Policy(.sekisho)),
        name: "demo", apps: [ConfiguredApp(app: ProjectDraft.defaultApp, name: "default")])

    /// A PNG of one pixel.
    static let logo: [UInt8] =
        [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
            8,
            0, 0, 0, 0, 0, 0, 0, 0,
        ] + [0, 0, 0, 0, 0x49, 0x44, 0x41, 0x54, 0, 0, 0, 0] + [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0, 0, 0, 0]

    static func parsed(_ json: String) throws -> ProjectFile {
        try ProjectFile(parsing: Array(json.utf8)) { path throws(UnreadableFile) in
            if path == "logo.png" { return logo }
            guard let text = files[path] else { throw UnreadableFile(path: path, reason: "missing") }
            return Array(text.utf8)
        }
    }

    /// Returns `configuration` after a project file with the text `json` has been applied to it.
    ///
    /// - Parameter pruning: whether members that the file omits are removed or reset.
    static func applied(
        _ json: String, to configuration: ProjectConfiguration = newProject, pruning: Bool = false
    ) throws -> ProjectConfiguration {
        var configuration = configuration
        try parsed(json).apply(to: &configuration, pruning: pruning)
        return configuration
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

    @Test("Each change has a line in the report")
    func lines() throws {
        let after = try Self.applied(Self.completeFile)
        #expect(
            after.changes(since: Self.newProject).map(\.line) == [
                "+ apps.default.signInMethods: apple.com, password",
                "+ apps.ios.bundleIds: com.example.app",
                "+ apps.ios.clientIds.google.com: ios",
                "+ apps.ios.distribution: appStore",
                "+ apps.ios.exemption.kind: thirdPartyClient",
                "+ apps.ios.exemption.reason: because",
                "+ apps.ios.name: App",
                "+ apps.ios.platform: ios",
                "~ authorizedDomains: localhost → app.example.com",
                "+ email.actionUrl: https://app.example.com/account",
                "~ email.language: en → ja",
                "+ email.replyTo: help@example.com",
                "+ email.senderAddress: no-reply@example.com",
                "+ email.senderName: Example",
                "+ email.subjects.accountDeleted.en: Gone",
                "+ email.subjects.resetPassword.en: Reset",
                "+ email.subjects.resetPassword.ja: 再設定",
                "~ name: demo → Demo",
                "~ policy.allowsAnonymous: true → false",
                "~ policy.followsRelayAddress: true → false",
                "~ policy.minimumPasswordLength: 8 → 12",
                "~ policy.notifiesUnverifiedAddresses: true → false",
                "~ policy.protectsLastSignInMethod: true → false",
                "~ policy.recycledNumberAge: 7776000 → 0",
                "~ policy.rejectsBreachedPasswords: true → false",
                "~ policy.requiresNonce: true → false",
                "~ policy.requiresRecentLoginToLink: true → false",
                "~ policy.resetUnlinksIdentities: false → true",
                "~ policy.rotatesRefreshTokens: true → false",
                "~ policy.sessionLimit: 500 → 0",
                "~ policy.trustsGoogleForEveryDomain: false → true",
                "~ profile: sekisho → firebase",
                "+ providers.apple.com.acceptsUnhashedNonces: true",
                "+ providers.apple.com.clientIds: com.example.app",
                "+ providers.apple.com.enabled: true",
                "+ providers.apple.com.keyId: KEY1234567",
                "+ providers.apple.com.privateKey: set",
                "+ providers.apple.com.teamId: TEAM123456",
                "+ providers.google.com.clientIds: g",
                "+ providers.google.com.clientSecret: set",
                "+ providers.google.com.enabled: false",
                "+ providers.oidc.corp.clientIds: c",
                "+ providers.oidc.corp.clientSecret: set",
                "+ providers.oidc.corp.displayName: Corp",
                "+ providers.oidc.corp.enabled: true",
                "+ providers.oidc.corp.issuer: https://id.example.com",
                "+ providers.oidc.corp.trustsEmail: true",
            ])
        #expect(after.newSecrets[.apple]?.expose() == "PEM")
        #expect(after.newSecrets[.google]?.expose() == "secret")
    }

    @Test("Omitted members keep their values; pruning removes or resets them, but keeps names, the profile and secrets")
    func leavingOut() throws {
        let before = try Self.applied(Self.completeFile)
        let kept = try Self.applied(#"{"project": "demo", "apps": {"ios": {}}}"#, to: before)
        // The secrets of `before` are not stored yet, and so still count as changes.
        #expect(kept.changes(since: before).filter { !$0.isSecret } == [])
        let pruned = try Self.applied(
            #"{"project": "demo", "providers": {"google.com": {"clientIds": ["g"]}}, "apps": {"ios": {}}}"#,
            to: before, pruning: true)
        #expect(pruned.realm.providers.map(\.provider) == [.google])
        #expect(pruned.realm.settings(of: .google)?.hasSecret == true)
        #expect(pruned.realm.settings(of: .google)?.isEnabled == true)
        #expect(pruned.realm.policy == Policy(.firebase))
        #expect(pruned.realm.project.authorizedDomains.isEmpty)
        #expect(pruned.realm.project.emailSettings == EmailSettings())
        #expect(pruned.apps == [ConfiguredApp(app: App(id: ID("ios")), name: "App")])
    }

    @Test("Null removes a value, and an empty list removes all values of a list")
    func null() throws {
        let before = try Self.applied(Self.completeFile)
        let after = try Self.applied(
            #"""
            {"project": "demo", "providers": {"oidc.corp": {"displayName": null}},
             "apps": {"ios": {"bundleIds": [], "exemption": null}, "default": {"signInMethods": null}}}
            """#, to: before)
        #expect(
            after.changes(since: before).filter { !$0.isSecret }.map(\.line) == [
                "- apps.default.signInMethods: apple.com, password", "- apps.ios.bundleIds: com.example.app",
                "- apps.ios.exemption.kind: thirdPartyClient", "- apps.ios.exemption.reason: because",
                "- providers.oidc.corp.displayName: Corp",
            ])
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

    @Test("A new profile keeps the policy members that were set explicitly")
    func profile() throws {
        var before = Self.newProject
        before.realm.policy.minimumPasswordLength = 20
        let after = try Self.applied(#"{"project": "demo", "profile": "firebase"}"#, to: before)
        #expect(after.realm.policy.minimumPasswordLength == 20)
        #expect(!after.realm.policy.requiresNonce)
    }

    /// Each problem is given by the beginning of its message.
    @Test(
        "All problems of a file are reported",
        arguments: [
            ("[]", ["the file is not a valid JSON object"]),
            ("{", ["the file is not a valid JSON object"]),
            (#"{"project": "demo", "project": "demo"}"#, ["the file is not a valid JSON object"]),
            ("{}", ["project: expected a project ID"]),
            (#"{"project": "demo", "polices": {}}"#, ["polices: unknown member; expected one of apps, authorized"]),
            (#"{"project": "demo", "profile": "google"}"#, ["profile: expected sekisho or firebase"]),
            (#"{"project": "demo", "policy": {"allowsAll": true}}"#, ["policy.allowsAll: unknown"]),
            (
                #"{"project": "demo", "policy": {"allowsPasswords": "true"}}"#,
                ["policy.allowsPasswords: expected true or"]
            ),
            (
                #"{"project": "demo", "policy": {"minimumPasswordLength": 3}}"#,
                ["policy.minimumPasswordLength: expected 6"]
            ),
            (
                #"{"project": "demo", "email": {"senderAddress": "ada", "replyTo": 1, "language": "nl", "smtp": {}}}"#,
                [
                    "email.senderAddress: expected an email address or null",
                    "email.replyTo: expected an email address or null",
                    "email.language: expected en, ja, de, fr, es, pt-BR, it, ko, zh-Hans, zh-Hant, ar, id or null",
                    "email.smtp: unknown member; expected one of actionUrl, language, replyTo, senderAddress, senderName, subjects",
                ]
            ),
            (
                #"{"project": "demo", "email": {"subjects": {"reset": {}, "signIn": {"nl": "x", "en": 1}}}}"#,
                [
                    "email.subjects.signIn.en: expected a string",
                    "email.subjects.signIn.nl: unknown member; expected one of ar, de, en, es, fr, id, it, ja, ko, pt-BR, zh-Hans, zh-Hant",
                    "email.subjects.reset: unknown member; expected one of accountDeleted",
                ]
            ),
            (#"{"project": "demo", "providers": []}"#, ["providers: expected an object"]),
            (#"{"project": "demo", "providers": {"apple.com": 1}}"#, ["providers.apple.com: expected an object"]),
            (
                #"{"project": "demo", "providers": {"google.com": {"teamId": "T", "enabled": 1, "clientIds": "g"}}}"#,
                [
                    "providers.google.com.enabled: expected true or false",
                    "providers.google.com.clientIds: expected a list of strings",
                    "providers.google.com.teamId: unknown member; expected one of clientIds, clientSecret, clientSecretFile, enabled",
                ]
            ),
            (
                #"{"project": "demo", "providers": {"apple.com": {"privateKey": "a", "privateKeyFile": "nowhere"}}}"#,
                [
                    "providers.apple.com.privateKeyFile: privateKey is set too: use only one of them",
                    "providers.apple.com.privateKeyFile: cannot read nowhere: missing",
                ]
            ),
            (
                #"{"project": "demo", "providers": {"apple.com": {"privateKeyFile": "empty"}}}"#,
                ["providers.apple.com.privateKeyFile: empty is empty"]
            ),
            (
                #"{"project": "demo", "providers": {"google.com": {"clientSecretFile": "empty"}, "#
                    + #""oidc.corp": {"clientSecretFile": "blank"}}}"#,
                [
                    "providers.google.com.clientSecretFile: empty is empty",
                    "providers.oidc.corp.clientSecretFile: blank is empty",
                ]
            ),
            (
                #"{"project": "demo", "apps": {"ios": {"platform": "iOS", "clientIds": {"google.com": "x"}}}}"#,
                ["apps.ios.platform: expected ios, macos", "apps.ios.clientIds.google.com: expected a list of strings"]
            ),
            (
                #"{"project": "demo", "apps": {"ios": {"exemption": {"kind": "small", "reason": "x", "by": 1}}}}"#,
                ["apps.ios.exemption.kind: expected ownAccountsOnly", "apps.ios.exemption.by: unknown member"]
            ),
            (#"{"project": "demo", "apps": {"ios": {"exemption": {}}}}"#, ["apps.ios.exemption.kind: kind and reason"]),
        ])
    func mistakes(json: String, beginnings: [String]) throws {
        let error = try #require(throws: ConfigurationError.self) { try Self.parsed(json) }
        #expect(error.problems.count == beginnings.count)
        for (problem, beginning) in zip(error.problems, beginnings) { #expect(problem.hasPrefix(beginning)) }
    }
}
