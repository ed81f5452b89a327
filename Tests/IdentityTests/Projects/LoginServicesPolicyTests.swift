import Identity
import Providers
import Testing

/// The policy `requiresAppleOnEveryPlatform`.
@Suite("The limit of guideline 4.8 to apps for Apple's platforms")
struct LoginServicesPolicyTests {
    struct Row: CustomTestStringConvertible {
        var platform = AppSettings.Platform.web
        var distribution = AppSettings.Distribution.web
        var bundleIDs: [String] = []
        let isForApplePlatform: Bool

        var testDescription: String {
            "\(platform), \(distribution), \(bundleIDs.isEmpty ? "no bundle ID" : "a bundle ID")"
        }

        var app: App {
            App(
                id: ID("app"),
                settings: AppSettings(platform: platform, distribution: distribution, bundleIDs: bundleIDs))
        }
    }

    static let rows: [Row] = AppSettings.Platform.allCases.flatMap { platform in
        AppSettings.Distribution.allCases.flatMap { distribution in
            [[], ["com.example.app"]].map { bundleIDs in
                Row(
                    platform: platform, distribution: distribution, bundleIDs: bundleIDs,
                    isForApplePlatform: [.ios, .macos, .tvos, .watchos, .visionos, .other].contains(platform)
                        || [.appStore, .marketplace].contains(distribution) || !bundleIDs.isEmpty)
            }
        }
    }

    @Test("Google without Apple is a violation, except in apps that the policy excludes", arguments: rows)
    func googleWithoutApple(row: Row) {
        for requiresApple in [true, false] {
            let realm = Realm.demo(providers: [google()]) { $0.requiresAppleOnEveryPlatform = requiresApple }
            let services = LoginServices(of: row.app, in: realm)
            let isCompliant = !requiresApple && !row.isForApplePlatform
            #expect(
                services.violations
                    == (isCompliant
                        ? [] : [.init(.appleNotEnabled, .google, isDueToPolicy: !row.isForApplePlatform)]))
            #expect(services.offered.contains(.google) == isCompliant)
            #expect(Self.isAccepted(.google, row.app, realm) == isCompliant)
        }
    }

    @Test("The policy requires Apple on every platform by default", arguments: Policy.Profile.allCases)
    func byDefault(profile: Policy.Profile) {
        #expect(Policy(profile).requiresAppleOnEveryPlatform)
    }

    @Test("A refusal names the policy only if the policy is the reason")
    func advice() {
        for (platform, isNamed) in [(AppSettings.Platform.web, true), (.ios, false), (.other, false)] {
            let realm = Realm.demo(providers: [google()])
            let app = App(id: ID("app"), settings: AppSettings(platform: platform))
            let refusal = ConfigurationRefusal(
                problems: realm.loginServicesProblems(of: [ConfiguredApp(app: app, name: "App")]))
            #expect(refusal.detail?.contains("requiresAppleOnEveryPlatform") == isNamed)
            let atSignIn = ProviderRefusal.notForThisApp(
                violation: LoginServices(of: app, in: realm).violations.first)
            #expect(atSignIn.detail?.contains("requiresAppleOnEveryPlatform") == isNamed)
        }
    }

    @Test("If the app offers Apple too, Apple still comes first")
    func order() {
        let realm = Realm.demo(providers: [appleSettings, google()]) { $0.requiresAppleOnEveryPlatform = false }
        let app = App(
            id: ID("app"),
            settings: AppSettings(platform: .web, distribution: .web, signInMethods: [.google, .apple]))
        #expect(LoginServices(of: app, in: realm).offered == [.apple, .google])
    }

    private static func isAccepted(_ provider: ProviderID, _ app: App, _ realm: Realm) -> Bool {
        do {
            try LoginServices.require(provider, for: app, in: realm, to: .signIn)
            return true
        } catch {
            return false
        }
    }
}
