import Encoding
import Identity
import Providers
import Testing

@Suite("Changes of a configuration that need the scope `trust`")
struct TrustedConfigurationTests {
    typealias Change = @Sendable (inout ProjectConfiguration) -> Void

    struct Row: CustomTestStringConvertible {
        /// `Type.member`. Text after a space distinguishes rows of the same member.
        let testDescription: String
        let change: Change

        var member: Substring { testDescription.prefix { $0 != " " } }

        init(_ testDescription: String, _ change: @escaping Change) {
            self.testDescription = testDescription
            self.change = change
        }
    }

    static let corp = ConfigurationTests.corp

    static let valid: ProjectConfiguration = {
        var configuration = ConfigurationTests.valid
        configuration.apps[0].app.settings.exemption = LoginServicesExemption(
            kind: .thirdPartyClient, reason: "because")
        return configuration
    }()

    static func policy(_ member: String, _ change: @escaping @Sendable (inout Policy) -> Void) -> Row {
        Row("Policy.\(member)") { change(&$0.realm.policy) }
    }

    static func emailSettings(_ member: String, _ change: @escaping @Sendable (inout EmailSettings) -> Void) -> Row {
        Row("EmailSettings.\(member)") { change(&$0.realm.project.emailSettings) }
    }

    static func app(_ member: String, _ change: @escaping @Sendable (inout AppSettings) -> Void) -> Row {
        Row("AppSettings.\(member)") { change(&$0.apps[0].app.settings) }
    }

    static func provider(
        _ member: String, of id: ProviderID, _ change: @escaping @Sendable (inout ProviderSettings) -> Void
    ) -> Row {
        Row(member) {
            guard var settings = $0.realm.settings(of: id) else { return }
            change(&settings)
            $0.set(settings)
        }
    }

    static let image = BrandImage(id: ID("a"), header: ImageHeader(stored: .png, width: 1, height: 1))

    static let newApp = ConfiguredApp(app: App(id: ID("new")), name: "New")

    static let needingTrust: [Row] = [
        Row("ProjectConfiguration.name") { $0.name = "Other" },
        Row("ProjectConfiguration.newSecrets") { $0.set(Secret("s"), of: .google) },
        Row("ProjectConfiguration.newSecrets removed") { $0.set(Secret(""), of: .apple) },
        Row("ProjectConfiguration.apps with a bundle ID") {
            $0.set(
                ConfiguredApp(app: App(id: ID("new"), settings: AppSettings(bundleIDs: ["com.example.b"])), name: "New")
            )
        },
        Row("ProjectConfiguration.apps with client IDs") {
            let settings = AppSettings(clientIDs: ["google.com": ["x"]])
            $0.set(ConfiguredApp(app: App(id: ID("new"), settings: settings), name: "New"))
        },
        Row("ProjectConfiguration.apps without the one that has client IDs") { $0.remove(ConfigurationTests.app) },
        Row("Project.profile") { $0.realm.project.profile = .firebase },
        Row("Project.authorizedDomains") { $0.realm.project.authorizedDomains.append("evil.example") },
        Row("Project.authorizedDomains removed") { $0.realm.project.authorizedDomains = [] },
        Row("Realm.providers added, disabled") {
            $0.set(
                ProviderSettings(
                    provider: ProviderID("oidc.new"), isEnabled: false, clientIDs: ["c"],
                    openID: OpenIDSettings(issuer: "https://new.example.com")))
        },
        Row("Realm.providers removed") { $0.remove(corp) },
        Row("Realm.tenant") {
            let tenant = Tenant(id: ID("t"), parent: ID("demo"), settings: TenantSettings())
            $0.realm = Realm(tenant, of: $0.realm, providers: $0.realm.providers)
        },
        Row("Project.hasTenants") { $0.realm.project.hasTenants.toggle() },
        Row("Project.sms") { $0.realm.project.sms.allowedCallingCodes = ["81"] },
        policy("recycledNumberAge") { $0.recycledNumberAge += .seconds(1) },
        Row("ProjectConfiguration.newSMSSecret") { $0.setSMS(Secret("secret")) },
        Row("Project.passkeys") { $0.realm.project.passkeys.isEnabled.toggle() },
        Row("Brand.name") { $0.realm.project.brand.name = "Other" },
        Row("Brand.logo") { $0.realm.project.brand.logo = image },
        Row("Brand.darkLogo") { $0.realm.project.brand.darkLogo = image },
        Row("Brand.favicon") { $0.realm.project.brand.favicon = image },
        Row("Brand.privacy") { $0.realm.project.brand.privacy = BrandLink("https://evil.example") },
        Row("Brand.terms") { $0.realm.project.brand.terms = BrandLink("https://evil.example") },
        Row("Brand.support") { $0.realm.project.brand.support = BrandLink("https://evil.example") },
        app("brand") { $0.brand.name = "Other" },
        Row("Project.texts") { $0.realm.project.texts = CustomTexts([.verifyEmail: [.english: "Pay now"]]) },
        Row("Project.wantedEvents") { $0.realm.project.wantedEvents = [.accountDeleted] },
        Row("Project.blockingFunctions") { $0.realm.project.blockingFunctions.forwardsIDToken.toggle() },
        policy("trustsGoogleForEveryDomain") { $0.trustsGoogleForEveryDomain.toggle() },
        policy("requiresNonce") { $0.requiresNonce.toggle() },
        policy("secondFactors") { $0.secondFactors.state = .enabled },
        policy("followsRelayAddress") { $0.followsRelayAddress.toggle() },
        policy("notifiesUnverifiedAddresses") { $0.notifiesUnverifiedAddresses.toggle() },
        policy("notifiesSupportAccess") { $0.notifiesSupportAccess.toggle() },
        policy("resetUnlinksIdentities") { $0.resetUnlinksIdentities.toggle() },
        emailSettings("senderAddress") { $0.senderAddress = EmailAddress("a@evil.example") },
        emailSettings("senderName") { $0.senderName = "Example" },
        emailSettings("subjects") { $0.subjects = [.resetPassword: [.english: "Reset"]] },
        emailSettings("replyTo") { $0.replyTo = EmailAddress("a@evil.example") },
        emailSettings("actionURL") { $0.actionURL = "https://evil.example/" },
        provider("ProviderSettings.isEnabled on", of: corp) { $0.isEnabled = true },
        provider("ProviderSettings.clientIDs", of: .google) { $0.clientIDs.append("x") },
        provider("ProviderSettings.hasSecret", of: .google) { $0.hasSecret.toggle() },
        provider("ProviderSettings.apple", of: .apple) { $0.apple = nil },
        provider("ProviderSettings.openID", of: corp) { $0.openID = nil },
        provider("AppleSettings.teamID", of: .apple) { $0.apple?.teamID = "TEAM999999" },
        provider("AppleSettings.keyID", of: .apple) { $0.apple?.keyID = "KEY9999999" },
        provider("AppleSettings.acceptsUnhashedNonces", of: .apple) { $0.apple?.acceptsUnhashedNonces.toggle() },
        provider("OpenIDSettings.issuer", of: corp) { $0.openID?.issuer = "https://evil.example" },
        provider("OpenIDSettings.displayName", of: corp) { $0.openID?.displayName = "Other" },
        provider("OpenIDSettings.trustsEmail", of: corp) { $0.openID?.trustsEmail.toggle() },
        provider("OpenIDSettings.responseType", of: corp) { $0.openID?.responseType = OpenIDResponseType(code: true) },
        app("bundleIDs") { $0.bundleIDs.append("com.example.other") },
        app("bundleIDs removed") { $0.bundleIDs = [] },
        app("linkOnlyMethods") { $0.linkOnlyMethods = [corp] },
        app("association") { $0.association.domains = ["auth.example.com"] },
        app("callers") { $0.callers.webDomains = ["example.com"] },
        app("allowsSilentSignIn") { $0.allowsSilentSignIn = true },
        app("redirectURIs") { $0.redirectURIs = ["myapp:/done"] },
        policy("requiresCallerHeader") { $0.requiresCallerHeader.toggle() },
        policy("rescindedConsent") { $0.rescindedConsent = .disableAccount },
        policy("requiresAppleOnEveryPlatform") { $0.requiresAppleOnEveryPlatform.toggle() },
        provider("ProviderSettings.statedRelation", of: corp) { $0.statedRelation = .own },
        provider("ProviderSettings.relationReason", of: corp) { $0.relationReason = Reason("our own accounts") },
        provider("ProviderSettings.hostedDomains", of: .google) { $0.hostedDomains = ["example.com"] },
        app("clientIDs") { $0.clientIDs["google.com"] = ["x"] },
        app("clientIDs removed") { $0.clientIDs = [:] },
    ]

    static let ordinary: [Row] = [
        Row("ProjectConfiguration.realm unchanged") { _ in },
        Row("ProjectConfiguration.apps without client IDs") { $0.set(newApp) },
        policy("allowsPasswords") { $0.allowsPasswords.toggle() },
        policy("allowsAnonymous") { $0.allowsAnonymous.toggle() },
        policy("allowsEmailLinks") { $0.allowsEmailLinks.toggle() },
        policy("allowsSignUp") { $0.allowsSignUp.toggle() },
        policy("allowsDeletion") { $0.allowsDeletion.toggle() },
        policy("enforcesPasswordRules") { $0.enforcesPasswordRules.toggle() },
        policy("enforcesPasswordRulesAtSignIn") { $0.enforcesPasswordRulesAtSignIn.toggle() },
        policy("allowsDuplicateEmails") { $0.allowsDuplicateEmails.toggle() },
        policy("protectsLastSignInMethod") { $0.protectsLastSignInMethod.toggle() },
        policy("minimumPasswordLength") { $0.minimumPasswordLength += 1 },
        policy("requiresLowercase") { $0.requiresLowercase.toggle() },
        policy("requiresUppercase") { $0.requiresUppercase.toggle() },
        policy("requiresDigit") { $0.requiresDigit.toggle() },
        policy("requiresSymbol") { $0.requiresSymbol.toggle() },
        policy("rejectsBreachedPasswords") { $0.rejectsBreachedPasswords.toggle() },
        policy("verificationLifetime") { $0.verificationLifetime += .seconds(1) },
        policy("resetLifetime") { $0.resetLifetime += .seconds(1) },
        policy("passwordFailureLimit") { $0.passwordFailureLimit += 1 },
        policy("signUpLimit") { $0.signUpLimit += 1 },
        policy("emailLimit") { $0.emailLimit += 1 },
        policy("anonymousLifetime") { $0.anonymousLifetime += .seconds(1) },
        policy("auditRetention") { $0.auditRetention += .seconds(1) },
        policy("emailEnumerationProtection") { $0.emailEnumerationProtection.toggle() },
        policy("rotatesRefreshTokens") { $0.rotatesRefreshTokens.toggle() },
        policy("refreshTokenGracePeriod") { $0.refreshTokenGracePeriod += .seconds(1) },
        policy("requiresRecentLoginToLink") { $0.requiresRecentLoginToLink.toggle() },
        policy("recentLoginMaxAge") { $0.recentLoginMaxAge += .seconds(1) },
        policy("idTokenLifetime") { $0.idTokenLifetime += .seconds(1) },
        policy("sessionLimit") { $0.sessionLimit += 1 },
        policy("allowsPhoneNumbers") { $0.allowsPhoneNumbers.toggle() },
        Row("Brand.color") { $0.realm.project.brand.color = RGBColor("#ff0000") },
        app("brand color") { $0.brand.color = RGBColor("#ff0000") },
        emailSettings("language") { $0.language = .japanese },
        provider("ProviderSettings.isEnabled off", of: .google) { $0.isEnabled = false },
        Row("ConfiguredApp.name") { $0.apps[0].name = "Other" },
        app("platform") { $0.platform = .web },
        app("distribution") { $0.distribution = .web },
        app("signInMethods") { $0.signInMethods = nil },
        app("requestedScopes") { $0.requestedScopes = [] },
        policy("dropsUnrequestedProfile") { $0.dropsUnrequestedProfile.toggle() },
        app("exemption") { $0.exemption = nil },
        Row("LoginServicesExemption.kind") {
            $0.apps[0].app.settings.exemption = LoginServicesExemption(kind: .ownAccountsOnly, reason: "because")
        },
        Row("LoginServicesExemption.reason") {
            $0.apps[0].app.settings.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "otherwise")
        },
    ]

    /// Members that cannot be changed, and members whose own members have rows instead.
    static let membersWithoutRows: Set<String> = [
        "Realm.id", "Realm.project", "Realm.policy", "Project.id", "Project.number", "Project.supportedProviders",
        "Project.emailSettings", "Project.brand",
        "ProviderSettings.provider",
        "ConfiguredApp.app", "App.id", "App.settings", "Project.modeRules",
        // Set by the store and at start, never by an edit.
        "Project.apps", "Project.appNames", "ProjectConfiguration.warnings", "App.graceEndsAt",
        "LoginServicesExemption.declaration",
    ]

    @Test(
        "A change needs the scope `trust` if it changes which tokens are trusted, where codes and events go, or what emails say",
        arguments: needingTrust)
    func needsTrust(row: Row) {
        var after = Self.valid
        row.change(&after)
        #expect(after.changesTrust(since: Self.valid))
    }

    @Test("Other changes do not need the scope `trust`", arguments: ordinary)
    func isOrdinary(row: Row) {
        var after = Self.valid
        row.change(&after)
        #expect(!after.changesTrust(since: Self.valid))
    }

    @Test("A change that repeats the stored values does not need the scope `trust`")
    func repeated() throws {
        var after = Self.valid
        for settings in Self.valid.realm.providers { after.set(settings) }
        for app in Self.valid.apps { after.set(app) }
        #expect(!after.changesTrust(since: Self.valid))
    }

    @Test("Every member of a configuration is classified")
    func everyMember() throws {
        let realm = Self.valid.realm
        let apple = try #require(realm.settings(of: .apple))
        let app = Self.valid.apps[0]
        let parts: [Any] = [
            Self.valid, realm, realm.project, realm.policy, realm.project.emailSettings,
            realm.project.brand, apple,
            try #require(apple.apple),
            try #require(realm.settings(of: Self.corp)?.openID), app, app.app, app.app.settings,
            try #require(app.app.settings.exemption),
        ]
        let members = parts.flatMap { part in
            // The storage of a boxed member has its name with an underscore.
            Mirror(reflecting: part).children.compactMap(\.label).map { "\(type(of: part)).\($0.trimmingPrefix("_"))" }
        }
        let classified = Set((Self.needingTrust + Self.ordinary).map { String($0.member) }).union(
            Self.membersWithoutRows)
        #expect(Set(members).subtracting(classified) == [], "members without a row")
        #expect(classified.subtracting(members) == [], "rows without a member")
    }

    /// Tenant settings are changed by an operation of their own, which the scope `config` alone allows, except for
    /// `secondFactors`.
    @Test("The settings of a tenant have only classified members")
    func tenants() {
        let members = Mirror(reflecting: TenantSettings()).children.compactMap(\.label)
        #expect(
            members == [
                "displayName", "allowsPasswords", "allowsEmailLinks", "allowsAnonymous", "isDisabled",
                "passwordPolicy", "emailEnumerationProtection", "allowsSignUp", "allowsDeletion",
                "deletesUnusedAnonymousAccounts", "secondFactors",
            ],
            "classify the new member: one that needs `trust` must not be changed with the scope `config` alone")
    }
}
