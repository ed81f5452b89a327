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

    @Test("A new profile keeps the policy members that were set explicitly")
    func profile() throws {
        var before = Self.newProject
        before.realm.policy.minimumPasswordLength = 20
        let after = try Self.applied(#"{"project": "demo", "profile": "firebase"}"#, to: before)
        #expect(after.realm.policy.minimumPasswordLength == 20)
        #expect(!after.realm.policy.requiresNonce)
    }
}
