import Encoding
import Identity
import Providers
import Testing

@Suite("App Review guideline 4.8")
struct LoginServicesTests {
    /// How the project has configured Apple, and whether the app shows it.
    enum Apple: String, CaseIterable {
        case missing, disabled, notShown, withoutKey, ok
    }

    /// The violations of an app that shows Google. An app that does not show Google has none.
    static let violations: [Apple: [LoginServicesViolation.Kind]] = [
        .missing: [.appleNotEnabled], .disabled: [.appleNotEnabled], .notShown: [.appleNotShown],
        .withoutKey: [.appleCannotWork], .ok: [],
    ]

    struct Row: CustomTestStringConvertible {
        let platform: AppSettings.Platform
        let showsGoogle: Bool
        let apple: Apple
        let exemption: LoginServicesExemption.Kind?

        var testDescription: String {
            "\(platform), Google \(showsGoogle ? "on" : "off"), Apple \(apple), \(exemption?.rawValue ?? "no exemption")"
        }

        var expected: [LoginServicesViolation] {
            guard showsGoogle else { return [] }
            let violations = (LoginServicesTests.violations[apple] ?? []).map { LoginServicesViolation($0, .google) }
            guard exemption != nil else { return violations }
            // If the app also offers Apple, it is not a client of one service only.
            return apple == .withoutKey || apple == .ok ? [.init(.exemptionContradicted, .apple)] + violations : []
        }

        var app: App {
            App(
                id: ID("app"),
                settings: AppSettings(
                    platform: platform, bundleIDs: ["com.example.app"],
                    // Passwords and anonymous accounts would contradict an exemption as a client of one service.
                    signInMethods: apple == .notShown ? [.google] : [.apple, .google],
                    exemption: exemption.map { LoginServicesExemption(kind: $0, reason: "because") }))
        }

        var realm: Realm {
            var apple = appleSettings
            apple.isEnabled = self.apple != .disabled
            apple.hasSecret = self.apple != .withoutKey
            return .demo(
                providers: (self.apple == .missing ? [] : [apple]) + [google(isEnabled: showsGoogle)])
        }
    }

    static let rows: [Row] = AppSettings.Platform.allCases.flatMap { platform in
        [true, false].flatMap { showsGoogle in
            Apple.allCases.flatMap { apple in
                ([nil, .thirdPartyClient] as [LoginServicesExemption.Kind?]).map {
                    Row(platform: platform, showsGoogle: showsGoogle, apple: apple, exemption: $0)
                }
            }
        }
    }

    @Test(
        "An app that shows a social provider must show Apple on every platform, unless it is exempted", arguments: rows)
    func showingGoogle(row: Row) {
        let services = LoginServices(of: row.app, in: row.realm)
        #expect(services.violations == row.expected)
        #expect(services.isCompliant == row.expected.isEmpty)
        // `methods` are those that the app lists. `offered` omits third-party providers if the guideline is violated.
        #expect(services.offered.contains(.google) == (row.showsGoogle && row.expected.isEmpty))
        if row.expected.isEmpty, row.showsGoogle, services.methods.contains(.apple) {
            #expect(services.offered.first == .apple)
        }
    }

    @Test("A sign-in is rejected if showing its provider violates the guideline", arguments: rows)
    func require(row: Row) {
        let expected: ProviderRefusal? =
            !row.showsGoogle ? .disabled : row.expected.isEmpty ? nil : .notForThisApp(violation: row.expected.first)
        #expect(refusal(of: .google, for: row.app, in: row.realm) == expected)
        let apple: ProviderRefusal? =
            switch row.apple {
            case .missing: .notConfigured
            case .disabled: .disabled
            case .notShown: .notForThisApp(violation: nil)
            case .withoutKey, .ok: nil
            }
        #expect(refusal(of: .apple, for: row.app, in: row.realm) == apple)
    }

    private func refusal(of provider: ProviderID, for app: App, in realm: Realm) -> ProviderRefusal? {
        do {
            try LoginServices.require(provider, for: app, in: realm, to: .signIn)
            return nil
        } catch {
            return error
        }
    }

    struct AppleRow: CustomTestStringConvertible {
        let testDescription: String
        var settings = AppSettings()
        var isComplete = false
        var problem = LoginServicesViolation.Kind.appleCannotWork
        var isDueToPolicy = false
        var change: @Sendable (inout ProviderSettings) -> Void = { _ in }
    }

    @Test(
        "An app that shows Google violates the guideline unless Apple is configured so that it works for the app",
        arguments: [
            AppleRow(testDescription: "everything is configured", isComplete: true),
            AppleRow(testDescription: "no team") { $0.apple = nil },
            AppleRow(testDescription: "short team") { $0.apple?.teamID = "TEAM" },
            AppleRow(testDescription: "lower case team") { $0.apple?.teamID = "team123456" },
            AppleRow(testDescription: "long key ID") { $0.apple?.keyID = "KEY12345678" },
            AppleRow(testDescription: "no client ID") { $0.clientIDs = [] },
            AppleRow(testDescription: "no client ID for the app", settings: .init(clientIDs: ["apple.com": []])),
            AppleRow(
                testDescription: "another app's bundle ID", settings: .init(platform: .ios, bundleIDs: ["com.b"]),
                problem: .bundleIDMissing),
            AppleRow(testDescription: "no bundle ID", settings: .init(platform: .macos), problem: .bundleIDMissing),
            AppleRow(
                testDescription: "no bundle ID on visionOS", settings: .init(platform: .visionos),
                problem: .bundleIDMissing),
            AppleRow(
                testDescription: "no Services ID", settings: .init(platform: .windows), problem: .servicesIDMissing,
                isDueToPolicy: true
            ) { $0.clientIDs = ["com.example.app"] },
            AppleRow(
                testDescription: "its own bundle ID", settings: .init(platform: .ios, bundleIDs: ["com.example.app"]),
                isComplete: true),
            AppleRow(
                testDescription: "its own bundle ID among its own client IDs",
                settings: .init(platform: .macos, bundleIDs: ["com.b"], clientIDs: ["apple.com": ["com.b"]]),
                isComplete: true),
            AppleRow(
                testDescription: "on Android, the bundle ID need not be a client ID",
                settings: .init(platform: .android, bundleIDs: ["b.c"]),
                isComplete: true),
        ])
    func canWork(row: AppleRow) {
        var apple = appleSettings
        row.change(&apple)
        let app = App(id: ID("app"), settings: row.settings)
        var realm = Realm.demo(providers: [apple, google()])
        realm.project.apps = [App(id: ID("native"), settings: AppSettings(bundleIDs: ["com.example.app"]))]
        let services = LoginServices(of: app, in: realm)
        #expect(
            services.violations
                == (row.isComplete ? [] : [.init(row.problem, .google, isDueToPolicy: row.isDueToPolicy)]))
    }

    static let everything: [ProviderID] = [.apple, .google, ProviderID("oidc.corp"), .password, .anonymous]

    @Test(
        "An app shows the enabled methods that it lists, or all enabled methods if it has no list",
        arguments: [
            (nil, everything),
            ([.password, .google, .apple], [.password, .google, .apple]),
            ([.anonymous], [.anonymous]),
            ([ProviderID("oidc.other"), .apple], [.apple]),
            ([], []),
        ] as [([ProviderID]?, [ProviderID])])
    func methods(named: [ProviderID]?, shown: [ProviderID]) {
        let openID = ProviderSettings(
            provider: ProviderID("oidc.corp"), isEnabled: true, clientIDs: ["c"],
            openID: OpenIDSettings(issuer: "https://id.example.com"))
        let realm = Realm.demo(providers: [openID, google(), appleSettings])
        let services = LoginServices(of: App(id: ID("app"), settings: .init(signInMethods: named)), in: realm)
        #expect(services.methods == shown)
    }

    @Test("An app shows no method that the policy or the project has disabled")
    func policies() {
        let app = App(id: ID("app"), settings: .init(signInMethods: Self.everything))
        let realm = Realm.demo(providers: [appleSettings, google(isEnabled: false)]) {
            $0.allowsPasswords = false
            $0.allowsAnonymous = false
        }
        #expect(LoginServices(of: app, in: realm).methods == [.apple])
    }

    @Test("An OpenID Connect provider whose relation to the apps is not stated counts as a social login")
    func openID() {
        let openID = ProviderSettings(
            provider: ProviderID("oidc.corp"), isEnabled: true, clientIDs: ["c"],
            openID: OpenIDSettings(issuer: "https://id.example.com"))
        let realm = Realm.demo(providers: [openID])
        let app = App(id: ID("app"))
        #expect(LoginServices(of: app, in: realm).violations == [.init(.appleNotEnabled, openID.provider)])
        #expect(
            refusal(of: openID.provider, for: app, in: realm)
                == .notForThisApp(violation: .init(.appleNotEnabled, openID.provider)))
    }

    @Test("A provider without a client ID for the app counts as not configured")
    func noClientID() {
        let app = App(id: ID("app"), settings: .init(clientIDs: ["google.com": []]))
        #expect(refusal(of: .google, for: app, in: .demo(providers: [appleSettings, google()])) == .notConfigured)
    }
}

/// Complete and enabled settings of Apple.
let appleSettings = ProviderSettings(
    provider: .apple, isEnabled: true, clientIDs: ["com.example.app", "com.example.web"], hasSecret: true,
    apple: AppleSettings(teamID: "TEAM123456", keyID: "KEY1234567"))

func google(isEnabled: Bool = true) -> ProviderSettings {
    ProviderSettings(provider: .google, isEnabled: isEnabled, clientIDs: ["google-client"])
}

extension Realm {
    static func demo(
        providers: [ProviderSettings], change: (inout Policy) -> Void = { _ in }
    ) -> Realm {
        var policy = Policy(.sekisho)
        change(&policy)
        return Realm(
            Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: ["localhost"], supporting: .live),
            policy: policy, providers: providers)
    }
}
