import FoundationEssentials
import Identity
import Providers
import Testing

/// A test case for App Review guideline 4.8 (login services). The tests of `projects apply` read the same table of
/// cases, `Tests/ClientTests/login_services.json`.
struct LoginServicesRow: Decodable, Sendable, CustomTestStringConvertible {
    /// The providers and sign-up methods of a project or a tenant.
    struct EnabledMethods: Decodable {
        let apple: String
        let providers: [String: String?]
        let signUp: [String]
    }

    /// The title of the test case.
    let row: String
    let platform: AppSettings.Platform
    let distribution: AppSettings.Distribution
    let bundleIds: [String]
    /// How Apple is configured: `ok`, `absent`, `disabled`, `noKey` (without a private key), `bundleOnly` (without a
    /// Services ID) or `servicesOnly` (without a bundle ID).
    let apple: String
    /// The enabled providers. The value is the relation (what the provider is to the project's apps) that the
    /// configuration states; `null` if it states none.
    let providers: [String: String?]
    /// The app's sign-in methods; `nil` means all that the project has enabled.
    let methods: [String]?
    let linkOnly: [String]
    let exemption: LoginServicesExemption.Kind?
    /// Those of `password`, `anonymous` and `emailLink` that the policy allows.
    let signUp: [String]
    /// The policy of the same name; `nil` for its default.
    let requiresAppleOnEveryPlatform: Bool?
    let tenant: EnabledMethods?
    /// The expected violations, each `METHOD VIOLATION`, preceded by `tenant ` if the tenant violates the guideline.
    /// `METHOD` is a provider or a sign-up method.
    let violations: [String]

    var testDescription: String { row }

    static let all = Result {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(2)
        let path = parts.joined(separator: "/") + "/ClientTests/login_services.json"
        return try JSONDecoder().decode([LoginServicesRow].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// An app of the project besides ``app``, without sign-in methods. It declares the bundle ID `com.example.app`, so
    /// that this client ID of Apple is not treated as a Services ID.
    static let nativeApp = App(
        id: ID("native"),
        settings: AppSettings(platform: .ios, bundleIDs: ["com.example.app"], signInMethods: []))

    /// - Parameter state: a value of ``apple``.
    static func clientIDs(forAppleState state: String) -> [String] {
        switch state {
        case "bundleOnly": ["com.example.app"]
        case "servicesOnly": ["com.example.web"]
        default: ["com.example.web", "com.example.app"]
        }
    }

    var app: App {
        App(
            id: ID("app"),
            settings: AppSettings(
                platform: platform, distribution: distribution, bundleIDs: bundleIds,
                signInMethods: methods?.map { ProviderID($0) }, linkOnlyMethods: linkOnly.map { ProviderID($0) },
                exemption: exemption.map { LoginServicesExemption(kind: $0, reason: "because") }))
    }

    var methodsOfProject: EnabledMethods { EnabledMethods(apple: apple, providers: providers, signUp: signUp) }

    /// Returns a realm with the policy of this row.
    ///
    /// - Parameter methods: those of the tenant, or of the project itself.
    func realm(with methods: EnabledMethods) -> Realm {
        var realm = methods.realm()
        realm.policy.requiresAppleOnEveryPlatform = requiresAppleOnEveryPlatform ?? true
        return realm
    }
}

extension LoginServicesRow.EnabledMethods {
    /// Returns a realm with these providers and sign-up methods.
    fileprivate func realm() -> Realm {
        var policy = Policy(.sekisho)
        policy.allowsPasswords = signUp.contains("password")
        policy.allowsAnonymous = signUp.contains("anonymous")
        policy.allowsEmailLinks = signUp.contains("emailLink")
        var project = Project(
            id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live)
        project.apps = [LoginServicesRow.nativeApp]
        return Realm(project, policy: policy, providers: settings)
    }

    private var settings: [ProviderSettings] {
        let others = providers.map { name, relation in
            let id = ProviderID(name)
            let relation = relation.flatMap(ProviderRelation.init(rawValue:))
            return ProviderSettings(
                provider: id, isEnabled: true, clientIDs: ["client"],
                openID: id.isGenericOpenID ? OpenIDSettings(issuer: "https://id.example.com") : nil,
                statedRelation: relation, relationReason: relation == .own ? "our own accounts" : nil,
                hostedDomains: id == .google && relation == .organisation ? ["example.com"] : [])
        }
        guard apple != "absent" else { return others }
        return others + [
            ProviderSettings(
                provider: .apple, isEnabled: apple != "disabled",
                clientIDs: LoginServicesRow.clientIDs(forAppleState: apple), hasSecret: apple != "noKey",
                apple: AppleSettings(teamID: AppleServer.team, keyID: AppleServer.keyID))
        ]
    }
}
