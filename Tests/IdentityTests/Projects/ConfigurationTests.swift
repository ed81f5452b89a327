import Encoding
import Identity
import Providers
import Testing

@Suite("The configuration of a project")
struct ConfigurationTests {
    static let app = ID<App>("app")
    static let corp = ProviderID("oidc.corp")

    static let valid = ProjectConfiguration(
        realm: .demo(providers: [appleSettings, google(), openID()]), name: "Demo",
        apps: [
            ConfiguredApp(
                app: App(
                    id: app,
                    settings: AppSettings(
                        platform: .ios, distribution: .appStore, bundleIDs: ["com.example.app"],
                        signInMethods: [.apple, .google], clientIDs: ["google.com": ["ios-client"]])),
                name: "App")
        ])

    static func openID(issuer: String = "https://id.example.com/realms/a", name: String? = nil) -> ProviderSettings {
        ProviderSettings(
            provider: corp, isEnabled: false, clientIDs: ["c"],
            openID: OpenIDSettings(issuer: issuer, displayName: name))
    }

    /// Rules that accept every new secret except `bad`.
    static let rules = ConfigurationRules(supportedProviders: .live) { secret, _ in secret.expose() != "bad" }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// The expected problems. `loginServices` is a violation of App Review guideline 4.8.
        var problems: [ConfigurationProblem] = []
        let change: @Sendable (inout ProjectConfiguration) -> Void
    }

    static func provider(
        _ description: String, _ settings: ProviderSettings, _ problems: ConfigurationProblem...
    ) -> Row {
        Row(testDescription: description, problems: problems) { $0.set(settings) }
    }

    static func app(
        _ description: String, _ problems: ConfigurationProblem...,
        change: @escaping @Sendable (inout AppSettings) -> Void
    ) -> Row {
        Row(testDescription: description, problems: problems) { change(&$0.apps[0].app.settings) }
    }

    static func emailSettings(
        _ description: String, _ problems: ConfigurationProblem...,
        change: @escaping @Sendable (inout EmailSettings) -> Void
    ) -> Row {
        Row(testDescription: description, problems: problems) { change(&$0.realm.project.emailSettings) }
    }

    static func clientIDs(_ description: String, _ ids: [String], _ problems: ConfigurationProblem...) -> Row {
        var settings = google()
        settings.clientIDs = ids
        return Row(testDescription: description, problems: problems) { [settings] in $0.set(settings) }
    }

    static let rows: [Row] = [
        Row(testDescription: "a valid configuration") { _ in },
        Row(testDescription: "an empty project name", problems: [.projectName]) { $0.name = "" },
        Row(testDescription: "a brand's name with a line break", problems: [.brandName(app: nil)]) {
            $0.realm.project.brand.name = "A\nB"
        },
        Row(testDescription: "an empty name in an app's brand", problems: [.brandName(app: app)]) {
            $0.apps[0].app.settings.brand.name = ""
        },
        Row(testDescription: "an authorized domain with a scheme", problems: [.domain(index: 1)]) {
            $0.realm.project.authorizedDomains.append("https://a.example")
        },
        Row(testDescription: "mandatory second factors that users cannot add", problems: [.noSecondFactor(tenant: nil)])
        {
            $0.realm.policy.secondFactors.state = .mandatory
        },
        Row(testDescription: "mandatory one-time passwords") {
            $0.realm.policy.secondFactors = SecondFactorPolicy(state: .mandatory, allowsTOTP: true)
        },
        Row(testDescription: "mandatory codes to telephones") {
            $0.realm.policy.secondFactors = SecondFactorPolicy(state: .mandatory, allowsSMS: true)
        },
        Row(testDescription: "mandatory second factors, of which users can add passkeys") {
            $0.realm.policy.secondFactors.state = .mandatory
            $0.realm.project.passkeys = PasskeySettings(isEnabled: true, rpID: "example.com")
        },
        Row(testDescription: "too many authorized domains", problems: [.tooManyDomains]) {
            $0.realm.project.authorizedDomains = Array(repeating: "a.example", count: 501)
        },
        emailSettings("valid email settings") {
            $0.senderName = "Éxample"
            $0.actionURL = "https://Localhost/account"
            $0.subjects = [.resetPassword: [.japanese: String(repeating: "あ", count: 200)]]
        },
        emailSettings("a sender without a name", .emailSenderName) { $0.senderName = "" },
        emailSettings("a sender's name that is too long", .emailSenderName) {
            $0.senderName = String(repeating: "a", count: 201)
        },
        emailSettings("a sender's name that adds a header", .emailSenderName) {
            $0.senderName = "A\r\nBcc: b@example.com"
        },
        emailSettings("a sender's name on two lines", .emailSenderName) { $0.senderName = "A\u{2028}B" },
        emailSettings(
            "invalid subjects", .emailSubject(.resetPassword, .english), .emailSubject(.accountDeleted, .japanese)
        ) {
            $0.subjects = [
                .resetPassword: [.english: "", .japanese: "ok"],
                .accountDeleted: [.japanese: "a\nb"],
            ]
        },
        emailSettings("an invalid action URL", .emailActionURL) { $0.actionURL = "https://localhost/?a" },
        emailSettings("an action URL of another site", .emailActionHost) { $0.actionURL = "https://evil.example/" },
        Row(testDescription: "an action URL whose domain was removed", problems: [.emailActionHost]) {
            $0.realm.project.emailSettings.actionURL = "https://localhost/"
            $0.realm.project.authorizedDomains = []
        },
        Row(testDescription: "too many apps", problems: [.tooManyApps]) {
            // With the app of the valid configuration, 101; the limit is 100.
            for number in 0..<100 { $0.set(ConfiguredApp(app: App(id: ID("app-\(number)")), name: "App")) }
        },
        Row(testDescription: "too many providers", problems: [.tooManyProviders]) {
            // With the three providers of the valid configuration, 51; the limit is 50.
            for number in 0..<48 {
                $0.set(
                    ProviderSettings(
                        provider: ProviderID("oidc.\(number)"), isEnabled: false, clientIDs: ["c"],
                        openID: OpenIDSettings(issuer: "https://a")))
            }
        },
        provider(
            "an unknown provider",
            ProviderSettings(provider: ProviderID("facebook.com"), isEnabled: false, clientIDs: []),
            .unknownProvider(ProviderID("facebook.com"), expected: .live)),
        provider(
            "a provider ID that is too long",
            ProviderSettings(
                provider: ProviderID("oidc." + String(repeating: "a", count: 33)), isEnabled: false, clientIDs: ["c"]),
            .unknownProvider(ProviderID("oidc." + String(repeating: "a", count: 33)), expected: .live)),
        provider(
            "Google with a team",
            ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["c"], apple: appleSettings.apple),
            .foreignSettings(.google)),
        provider(
            "Apple with invalid IDs",
            ProviderSettings(
                provider: .apple, isEnabled: true, clientIDs: ["com.example.app"], hasSecret: true,
                apple: AppleSettings(teamID: "TEAM", keyID: "key1234567")),
            .appleTeamID, .appleKeyID, .loginServices(.init(.appleCannotWork, .google), app: app)),
        clientIDs("no client ID", [], .noClientIDs(.google, app: nil)),
        clientIDs("too many client IDs", (0...50).map { "c\($0)" }, .tooManyClientIDs(.google, app: nil)),
        clientIDs(
            "client IDs that are empty, too long or repeated, or contain a space",
            ["a", "", "b c", String(repeating: "x", count: 256), "a"],
            .clientID(.google, index: 1, app: nil), .clientID(.google, index: 2, app: nil),
            .clientID(.google, index: 3, app: nil), .clientID(.google, index: 4, app: nil)),
        provider(
            "no issuer", ProviderSettings(provider: corp, isEnabled: false, clientIDs: ["c"]), .issuerMissing(corp)),
        provider("a name with a line feed", openID(name: "a\nb"), .displayName(corp)),
        Row(testDescription: "an unusable secret", problems: [.secret(.google)]) { $0.set(Secret("bad"), of: .google) },
        Row(
            testDescription: "Apple's key removed",
            problems: [.loginServices(.init(.appleCannotWork, .google), app: app)]
        ) {
            $0.set(Secret(""), of: .apple)  // an empty secret removes the stored one
        },
        Row(
            testDescription: "Apple removed", problems: [.loginServices(.init(.appleNotEnabled, .google), app: app)]
        ) {
            $0.remove(.apple)
        },
        Row(
            testDescription: "a new app in a project without Apple",
            problems: [.loginServices(.init(.appleNotEnabled, .google), app: ID("new"))]
        ) {
            $0.remove(.apple)
            $0.remove(app)
            $0.set(ConfiguredApp(app: App(id: ID("new")), name: "New"))
        },
        Row(testDescription: "an invalid app ID", problems: [.appID(ID("New App"))]) {
            $0.set(ConfiguredApp(app: App(id: ID("New App")), name: "New"))
        },
        Row(testDescription: "the ID of the account page", problems: [.appID(ID("account"))]) {
            $0.set(ConfiguredApp(app: App(id: ID("account")), name: "New"))
        },
        Row(testDescription: "the ID of the console", problems: [.appID(ID("console"))]) {
            $0.set(ConfiguredApp(app: App(id: ID("console")), name: "New"))
        },
        Row(testDescription: "an app without a name", problems: [.appName(app)]) { $0.apps[0].name = "" },
        app("an invalid bundle ID", .bundleID(app), .loginServices(.init(.bundleIDMissing, .google), app: app)) {
            $0.bundleIDs = ["com..a"]
        },
        app("an unknown method", .unknownSignInMethod(ProviderID("facebook.com"), app: app, expected: .live)) {
            $0.signInMethods = [.apple, ProviderID("facebook.com")]
        },
        app("a repeated method", .repeatedSignInMethod(.apple, app: app)) { $0.signInMethods = [.apple, .apple] },
        app("a method that is not configured") { $0.signInMethods = [.apple, ProviderID("oidc.later")] },
        app("no client ID for an app", .noClientIDs(.google, app: app)) { $0.clientIDs = ["google.com": []] },
        app("client IDs of an unknown provider", .unknownProvider(ProviderID("x"), expected: .live)) {
            $0.clientIDs = ["x": ["c"]]
        },
        // An exemption without a valid reason has no effect.
        app(
            "an exemption without a reason", .exemptionReason(app),
            .loginServices(.init(.appleNotShown, .google), app: app)
        ) {
            $0.signInMethods = [.google]
            $0.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "")
        },
        app(
            "an exemption whose reason is blank", .exemptionReason(app),
            .loginServices(.init(.appleNotShown, .google), app: app)
        ) {
            $0.signInMethods = [.google]
            $0.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "\u{3000}\u{200B} \u{3164}\n")
        },
        app(
            "a reason that is too long", .exemptionReason(app),
            .loginServices(.init(.appleNotShown, .google), app: app)
        ) {
            $0.signInMethods = [.google]
            $0.exemption = LoginServicesExemption(
                kind: .thirdPartyClient, reason: String(repeating: "abcd", count: 126))
        },
        app("Apple not shown", .loginServices(.init(.appleNotShown, .google), app: app)) {
            $0.signInMethods = [.google]
        },
        app("Apple not shown, exempted") {
            $0.signInMethods = [.google]
            $0.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "because")
        },
    ]

    @Test("All problems of a configuration are reported at once", arguments: rows + appAndProviderRows)
    func problems(row: Row) {
        var configuration = Self.valid
        row.change(&configuration)
        #expect(configuration.problems(by: Self.rules) == row.problems)
    }

    @Test(
        "Issuers must be https URLs, or loopback URLs in development",
        arguments: [
            ("https://id.example.com", true, true), ("https://id.example.com:8443/a/b", true, true),
            ("https://id.example.com?x", false, false), ("https://id.example.com/#x", false, false),
            ("https://u@id.example.com", false, false), ("https://u:p@id.example.com/", false, false),
            ("http://id.example.com", false, false), ("http://127.0.0.1:9000/x", false, true),
            ("http://localhost", false, true), ("http://[::1]:1/", false, true),
            ("http://localhost.example.com", false, false), ("ftp://localhost", false, false),
            ("https://", false, false), ("https:///x", false, false), ("id.example.com", false, false),
            ("https://id.example.com/a b", false, false), ("https://id.example.com/\u{e9}", false, false),
            ("https://a\\b", false, false), ("", false, false),
        ])
    func issuer(issuer: String, inProduction: Bool, inDevelopment: Bool) {
        var configuration = Self.valid
        configuration.set(Self.openID(issuer: issuer))
        var rules = Self.rules
        #expect(configuration.problems(by: rules).isEmpty == inProduction)
        rules.acceptsLoopbackIssuers = true
        #expect(configuration.problems(by: rules).isEmpty == inDevelopment)
    }

    @Test(
        "Action URLs must be https URLs of an authorized domain or of the gateway, or http URLs of localhost",
        arguments: [
            ("https://app.example.com", true), ("https://app.example.com:8443/a/b", true),
            ("https://APP.example.com/a", true), ("https://auth.example.com/mail", true),
            ("http://app.example.com", false), ("http://localhost:3000/a", true), ("http://127.0.0.1/a", false),
            ("https://app.example.com.evil.example/", false), ("https://evil.example/app.example.com", false),
            ("https://sub.app.example.com/", false), ("https://app.example.com@evil.example/", false),
            ("https://ada@app.example.com/", false), ("https://app.example.com/?a=b", false),
            ("https://app.example.com/#a", false), ("https://app.example.com\\@evil.example/", false),
            ("https://app.example.com/\r\nX: y", false), ("https://app.example.com/ a", false), ("https://", false),
            ("javascript:alert(1)", false), ("//app.example.com/", false), ("", false),
            ("https://app.example.com/" + String(repeating: "a", count: 2048), false),
        ])
    func actionURL(url: String, isAccepted: Bool) {
        var configuration = Self.valid
        configuration.realm.project.authorizedDomains = ["localhost", "App.example.com"]
        configuration.realm.project.emailSettings.actionURL = url
        var rules = Self.rules
        rules.ownHost = "auth.example.com"
        #expect(configuration.problems(by: rules).isEmpty == isAccepted)
    }

    @Test("Each problem has a different text")
    func descriptions() {
        let all = (Self.rows + Self.appAndProviderRows).flatMap(\.problems)
        #expect(Set(all.map(\.description)).count == Set(all).count)
        #expect(all.allSatisfy { !$0.description.isEmpty })
    }

    @Test("The changes are listed with old and new values, and without secrets")
    func changes() {
        var after = Self.valid
        after.realm.policy.allowsAnonymous = false
        after.realm.project.authorizedDomains = []
        after.remove(Self.corp)
        after.set(google(isEnabled: false))
        after.set(Secret("s3cret"), of: .google)
        after.set(Secret("k"), of: .apple)
        after.realm.project.emailSettings = EmailSettings(
            senderAddress: EmailAddress("a@example.com"), senderName: "A", replyTo: EmailAddress("b@example.com"),
            actionURL: "https://localhost/", language: .japanese, subjects: [.resetPassword: [.english: "Reset"]])
        after.apps[0].app.settings.bundleIDs = []
        after.apps[0].app.settings.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "because")
        let lines = after.changes(since: Self.valid).map {
            "\($0.path.joined(separator: ".")): \($0.old ?? "-") > \($0.new ?? "-")"
        }
        #expect(
            lines == [
                "apps.app.bundleIds: com.example.app > -",
                "apps.app.exemption.kind: - > thirdPartyClient",
                "apps.app.exemption.reason: - > because",
                "authorizedDomains: localhost > -",
                "email.actionUrl: - > https://localhost/",
                "email.language: en > ja",
                "email.replyTo: - > b@example.com",
                "email.senderAddress: - > a@example.com",
                "email.senderName: - > A",
                "email.subjects.resetPassword.en: - > Reset",
                "policy.allowsAnonymous: true > false",
                "providers.apple.com.privateKey: stored > new",
                "providers.google.com.clientSecret: - > new",
                "providers.google.com.enabled: true > false",
                "providers.oidc.corp.clientIds: c > -",
                "providers.oidc.corp.enabled: false > -",
                "providers.oidc.corp.issuer: https://id.example.com/realms/a > -",
                "providers.oidc.corp.trustsEmail: false > -",
            ])
        #expect(Self.valid.changes(since: Self.valid).isEmpty)
    }
}
