import Identity
import Providers

extension ConfigurationTests {
    /// Rows about apps (callers, redirect URIs, associated domains and link-only methods) and about providers
    /// (relations, hosted domains and issuers). Callers are the native apps and web pages that may use an API key.
    static let appAndProviderRows: [Row] = [
        app("a bundle ID twice", .bundleID(app)) { $0.bundleIDs = ["com.example.app", "com.example.app"] },
        app("too many callers", .tooManyValues(app, list: "androidPackages", count: 51)) {
            $0.callers.androidPackages = (0...50).map { "com.example.p\($0)" }
        },
        app("an invalid package", .androidPackage(app)) { $0.callers.androidPackages = ["com.example-app"] },
        app("an invalid certificate", .androidCertificate(app)) { $0.callers.androidCertificates = ["AB:CD"] },
        app("an invalid web domain", .webDomain(app)) { $0.callers.webDomains = ["https://example.com"] },
        app("a redirect URI that is a script", .redirectURI(app)) { $0.redirectURIs = ["javascript:alert(1)"] },
        app("a redirect URI twice", .redirectURI(app)) { $0.redirectURIs = ["myapp:/a", "myapp:/a"] },
        app("valid redirect URIs") { $0.redirectURIs = ["com.example.app:/done", "https://app.example.com/done"] },
        app("valid callers") {
            $0.callers = AllowedCallers(
                androidPackages: ["com.example.app"],
                androidCertificates: ["DA:39:A3:EE:5E:6B:4B:0D:32:55:BF:EF:95:60:18:90:AF:D8:07:09"],
                webDomains: ["example.com", "*.example.com", "localhost"])
        },
        app("an invalid associated domain", .associatedDomain(app)) {
            $0.association.domains = ["webcredentials:a.example"]
        },
        app("an associated domain twice", .associatedDomain(app)) {
            $0.association.domains = ["a.example", "a.example"]
        },
        app("an invalid fingerprint", .androidFingerprint(app)) {
            $0.association.androidFingerprints = ["DA:39:A3:EE:5E:6B:4B:0D:32:55:BF:EF:95:60:18:90:AF:D8:07:09"]
        },
        app("an invalid team", .appTeamID(app)) { $0.association.teamID = "team" },
        app("an associated domain without anything to associate", .association(app)) {
            $0.bundleIDs = []
            $0.signInMethods = [.password]
            $0.association.domains = ["a.example"]
            $0.callers.androidPackages = ["com.example.app"]
        },
        Row(testDescription: "an associated domain without a team", problems: [.association(app)]) {
            $0.apps[0].app.settings.association.domains = ["a.example"]
            $0.apps[0].app.settings.signInMethods = [.password]
            $0.realm.providers[0].apple = nil
        },
        Row(testDescription: "an associated domain and the app's own team") {
            $0.apps[0].app.settings.association = AppAssociation(domains: ["a.example"], teamID: "TEAM123456")
            $0.apps[0].app.settings.signInMethods = [.password]
            $0.realm.providers[0].apple = nil
        },
        app("an associated domain and a fingerprint") {
            $0.association = AppAssociation(
                domains: ["a.example"], androidFingerprints: [String(repeating: "aB:", count: 31) + "Cd"])
            $0.callers.androidPackages = ["com.example.app"]
        },
        app("a method for linking and for sign-in", .linkOnlyMethod(.google, app: app)) {
            $0.linkOnlyMethods = [.google]
        },
        app("passwords for linking", .linkOnlyMethod(.password, app: app)) { $0.linkOnlyMethods = [.password] },
        app("a provider for linking, twice", .linkOnlyMethod(corp, app: app)) { $0.linkOnlyMethods = [corp, corp] },
        provider(
            "a relation that Apple cannot have",
            ProviderSettings(
                provider: .apple, isEnabled: true, clientIDs: ["com.example.app"], hasSecret: true,
                apple: AppleSettings(teamID: "TEAM123456", keyID: "KEY1234567"), statedRelation: .own),
            .relation(.apple, .social)),
        provider(
            "Google as an organisation without domains",
            ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["c"], statedRelation: .organisation),
            .relation(.google, .socialOrOrganisation)),
        provider(
            "Google as a government",
            ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["c"], statedRelation: .government),
            .relation(.google, .socialOrOrganisation)),
        provider(
            "Google with an invalid domain",
            ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["c"], hostedDomains: ["@example.com"]),
            .hostedDomains(.google, permittedFor: ["google.com"])),
        provider(
            "hosted domains of another provider",
            ProviderSettings(
                provider: corp, isEnabled: false, clientIDs: ["c"],
                openID: OpenIDSettings(issuer: "https://id.example.com"), hostedDomains: ["example.com"]),
            .hostedDomains(corp, permittedFor: ["google.com"])),
        provider(
            "own accounts at a public login",
            relation(.own, issuer: "https://www.facebook.com", reason: "our accounts"),
            .relationOfPublicLogin(corp, login: "Facebook")),
        provider("own accounts without a reason", relation(.own, reason: nil), .relationReason(corp)),
        provider(
            "own accounts with a blank reason", relation(.own, reason: " \u{200B}\u{3000}"), .relationReason(corp)),
        provider("own accounts with a reason", relation(.own, reason: "our accounts")),
        provider("an organisation without a reason", relation(.organisation, reason: nil)),
        provider("an organisation with a blank reason", relation(.organisation, reason: "-"), .relationReason(corp)),
        provider("Google's issuer", openID(issuer: "https://accounts.google.com"), .builtInIssuer(corp, of: .google)),
        provider(
            "Apple's issuer, disguised", openID(issuer: "https://APPLEID.apple.com.:443/x"),
            .builtInIssuer(corp, of: .apple)),
        provider("an issuer named like Google's", openID(issuer: "https://accounts.google.com.example.com")),
    ]

    private static func relation(
        _ relation: ProviderRelation, issuer: String = "https://id.example.com", reason: String?
    ) -> ProviderSettings {
        ProviderSettings(
            provider: corp, isEnabled: false, clientIDs: ["c"], openID: OpenIDSettings(issuer: issuer),
            statedRelation: relation, relationReason: reason)
    }
}
