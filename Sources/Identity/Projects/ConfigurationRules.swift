internal import Encoding

/// The parts of the check of a configuration that differ between installations.
public struct ConfigurationRules: Sendable {
    public let supportedProviders: SupportedProviders
    /// Whether issuers may be `http` URLs of loopback hosts, for simulators, and the RP ID may be `localhost`.
    public var acceptsLoopbackIssuers: Bool
    /// Whether a violation of guideline 4.8 by an OpenID provider of a tenant causes a warning instead of an error.
    public var acceptsTenantsWithoutApple: Bool
    /// The host of the gateway's public URL. Links in emails may open it although it is not an authorized domain.
    public var ownHost: String?
    /// Whether a new secret has the form that its provider issues.
    public var acceptsSecret: @Sendable (Secret, ProviderID) -> Bool

    public init(
        supportedProviders: SupportedProviders, acceptsLoopbackIssuers: Bool = false,
        acceptsTenantsWithoutApple: Bool = false, ownHost: String? = nil,
        acceptsSecret: @escaping @Sendable (Secret, ProviderID) -> Bool
    ) {
        self.supportedProviders = supportedProviders
        self.ownHost = ownHost
        self.acceptsLoopbackIssuers = acceptsLoopbackIssuers
        self.acceptsTenantsWithoutApple = acceptsTenantsWithoutApple
        self.acceptsSecret = acceptsSecret
    }
}

extension SMSSettings {
    /// - Parameter secret: the new secret; `nil` if it does not change.
    fileprivate func problems(acceptsLoopback: Bool, _ secret: Secret?) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if let url, url.hostOfURLWithoutQuery(byteLimit: 2048, acceptsLoopback: acceptsLoopback) == nil {
            problems.append(.smsURL)
        }
        let isSecretValid = secret.map { isValid($0.expose()) } ?? true
        if !isSecretValid { problems.append(.smsSecret(format)) }
        let names = fields.map { ($0.key.rawValue, $0.value) }
        if fields.count > Self.fieldLimit
            || names.contains(where: { !$0.0.isVisibleASCII(1...100) || !SMSTemplate.isValid($0.1) })
            || username.map({ !$0.isVisibleASCII(1...200) || $0.utf8.contains(UInt8(ascii: ":")) }) == true
        {
            problems.append(.smsFields)
        }
        let codes = allowedCallingCodes + perCallingCode.keys.map(\.rawValue)
        if codes.count > Self.allowedLimit || !codes.allSatisfy({ $0.wholeMatch(of: /[1-9][0-9]{0,6}/) != nil }) {
            problems.append(.callingCode)
        }
        let regionList =
            switch regions {
            case .listed(let regions), .allExcept(let regions): regions
            }
        if let unknown = regionList.first(where: { CallingCodes.prefixes(of: $0) == nil }) {
            problems.append(.smsRegion(unknown))
        }
        if !([budgetPerDay] + perCallingCode.values).allSatisfy(Self.budgetRange.contains) {
            problems.append(.smsBudget)
        }
        let numbersAreValid = testNumbers.allSatisfy { number, code in
            PhoneNumber(entered: number.rawValue, acceptsTestNumbers: false).map { ByteText($0.rawValue) } == number
                && code.wholeMatch(of: /[0-9]{6}/) != nil
        }
        if testNumbers.count > Self.testNumberLimit || !numbersAreValid { problems.append(.testPhoneNumbers) }
        return problems
    }

    /// Whether a secret consists of one or two signing secrets, or is a password.
    private func isValid(_ secret: String) -> Bool {
        guard format == .webhook, !secret.isEmpty else {
            return secret.utf8.count <= 512 && secret.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }
        let secrets = secret.split(separator: " ", omittingEmptySubsequences: false)
        return (1...2).contains(secrets.count)
            && secrets.allSatisfy { $0.wholeMatch(of: /whsec_[A-Za-z0-9+\/]{32,88}={0,2}/) != nil }
    }
}

extension ProjectConfiguration {
    /// Maximum numbers and lengths. Names are measured in Unicode scalars, all other texts in bytes.
    enum Limits {
        static let providers = 50
        static let apps = 100
        static let clientIDs = 50
        static let clientIDLength = 1...255
        static let nameLength = 1...256
        static let bundleIDLength = 155
        /// The maximum number of values in each list of an app, such as its callers and redirect URIs.
        static let listedValues = 50
        static let hostedDomains = 50
        static let issuerLength = 1024
    }

    /// All problems. Violations of App Review guideline 4.8 come last.
    public func problems(by rules: ConfigurationRules) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if !Self.isName(name) { problems.append(.projectName) }
        if realm.project.authorizedDomains.count > Project.domainLimit { problems.append(.tooManyDomains) }
        problems += realm.project.authorizedDomains.indices
            .filter { !Project.isHostName(realm.project.authorizedDomains[$0]) }.map { .domain(index: $0) }
        problems += realm.project.emailSettings.problems(in: realm, ownHost: rules.ownHost)
        problems += brandProblems + realm.project.texts.problems
        problems += realm.project.passkeys.problems(acceptsLoopback: rules.acceptsLoopbackIssuers)
        problems += realm.secondFactorProblems
        if realm.tenant == nil {
            problems += realm.project.sms.problems(acceptsLoopback: rules.acceptsLoopbackIssuers, newSMSSecret)
        }
        if realm.providers.count > Limits.providers { problems.append(.tooManyProviders) }
        problems += realm.providers.flatMap { self.problems(of: $0, by: rules) }
        problems += newSecrets.sorted { $0.key.rawValue < $1.key.rawValue }
            .filter { !$0.value.isEmpty && !rules.acceptsSecret($0.value, $0.key) }.map { .secret($0.key) }
        if apps.count > Limits.apps { problems.append(.tooManyApps) }
        problems += apps.flatMap { self.problems(of: $0) }
        problems += associationProblems
        problems += appleClientIDProblems
        problems += realm.loginServicesProblems(of: apps)
        return problems
    }

    private func problems(
        of settings: ProviderSettings, by rules: ConfigurationRules
    ) -> [ConfigurationProblem] {
        let id = settings.provider
        let supported = realm.project.supportedProviders
        guard supported.canConfigure(id), let provider = supported[id] else {
            return [.unknownProvider(id, expected: supported)]
        }
        var problems = Self.clientIDProblems(settings.clientIDs, id, app: nil)
        if (settings.apple != nil && !provider.settings.contains(.apple))
            || (settings.openID != nil && !provider.settings.contains(.openID))
        {
            problems.append(.foreignSettings(id))
        }
        if let apple = settings.apple {
            if !AppleSettings.isID(apple.teamID) { problems.append(.appleTeamID) }
            if !AppleSettings.isID(apple.keyID) { problems.append(.appleKeyID) }
        }
        problems += relationProblems(settings)
        if !Self.areHostedDomains(settings.hostedDomains, of: provider) {
            problems.append(.hostedDomains(id, permittedFor: supported.ids(with: .hostedDomains)))
        }
        if provider.settings.contains(.openID) {
            if let openID = settings.openID {
                if !Self.isIssuer(openID.issuer, rules) { problems.append(.issuer(id)) }
                if let other = supported.builtIn(issuing: openID.issuer) {
                    problems.append(.builtInIssuer(id, of: other.id))
                }
                if openID.displayName.map(Self.isName) == false { problems.append(.displayName(id)) }
            } else {
                problems.append(.issuerMissing(id))
            }
        }
        return problems
    }

    private func relationProblems(_ settings: ProviderSettings) -> [ConfigurationProblem] {
        switch realm.relationProblem(of: settings) {
        case .impossible(let permitted): [.relation(settings.provider, permitted)]
        case .publicLogin(let login): [.relationOfPublicLogin(settings.provider, login: login.name)]
        case .reasonMissing: [.relationReason(settings.provider)]
        case nil: settings.relationReason?.isValid == false ? [.relationReason(settings.provider)] : []
        }
    }

    private func problems(of configured: ConfiguredApp) -> [ConfigurationProblem] {
        let supported = realm.project.supportedProviders
        let id = configured.app.id
        let settings = configured.app.settings
        guard id.isValidAppID else { return [.appID(id)] }
        var problems: [ConfigurationProblem] = Self.isName(configured.name) ? [] : [.appName(id)]
        problems += Self.problems(ofListsIn: settings, id)
        let methods = settings.signInMethods ?? []
        let occurrences = Dictionary(grouping: methods, by: \.self).sorted { $0.key.rawValue < $1.key.rawValue }
        problems += occurrences.filter { !supported.canList($0.key) }
            .map { .unknownSignInMethod($0.key, app: id, expected: supported) }
        problems += occurrences.filter { $0.value.count > 1 }.map { .repeatedSignInMethod($0.key, app: id) }
        problems += settings.linkOnlyMethods.enumerated().filter { index, method in
            !supported.canConfigure(method) || methods.contains(method)
                || settings.linkOnlyMethods[..<index].contains(method)
        }.map { .linkOnlyMethod($0.element, app: id) }
        for (provider, clientIDs) in settings.clientIDs.sorted(by: { $0.key < $1.key }) {
            let provider = ProviderID(provider.rawValue)
            problems +=
                supported.canConfigure(provider)
                ? Self.clientIDProblems(clientIDs, provider, app: id)
                : [.unknownProvider(provider, expected: supported)]
        }
        if settings.exemption?.reason.isValid == false { problems.append(.exemptionReason(id)) }
        return problems
    }

    private static func problems(ofListsIn settings: AppSettings, _ id: ID<App>) -> [ConfigurationProblem] {
        let callers = settings.callers
        let lists: [(name: String, values: [String], problem: ConfigurationProblem, isValid: (String) -> Bool)] = [
            ("bundleIds", settings.bundleIDs, .bundleID(id), isBundleID),
            ("androidPackages", callers.androidPackages, .androidPackage(id), isPackage),
            ("androidCertificates", callers.androidCertificates, .androidCertificate(id), isSHA1Fingerprint),
            ("webDomains", callers.webDomains, .webDomain(id), isWebDomain),
            ("associatedDomains", settings.association.domains, .associatedDomain(id), Project.isHostName),
            (
                "androidFingerprints", settings.association.androidFingerprints, .androidFingerprint(id),
                isSHA256Fingerprint
            ),
            ("redirectUris", settings.redirectURIs, .redirectURI(id), AuthorizationTarget.canBeRegistered),
        ]
        let longLists = lists.filter { $0.values.count > Limits.listedValues }
            .map { ConfigurationProblem.tooManyValues(id, list: $0.name, count: $0.values.count) }
        let teamIsValid = settings.association.teamID.map(AppleSettings.isID) ?? true
        return longLists + (teamIsValid ? [] : [.appTeamID(id)])
            + lists.filter { !$0.values.allSatisfy($0.isValid) || Set($0.values).count != $0.values.count }.map(
                \.problem)
    }

    /// A problem for each app that has an associated host, but no identifier that a host can list in its
    /// `apple-app-site-association` or `assetlinks.json` file. None for a tenant: it shares the apps of its project,
    /// where they are checked.
    private var associationProblems: [ConfigurationProblem] {
        guard realm.tenant == nil else { return [] }
        return zip(apps, realm.associatedApps).filter { _, app in
            !app.settings.association.domains.isEmpty && app.bundleIDs.isEmpty && app.packages.isEmpty
        }.map { .association($0.0.app.id) }
    }

    /// - Parameter app: the app that lists the client IDs; `nil` for the project's list.
    private static func clientIDProblems(
        _ clientIDs: [String], _ provider: ProviderID, app: ID<App>?
    ) -> [ConfigurationProblem] {
        guard !clientIDs.isEmpty else { return [.noClientIDs(provider, app: app)] }
        guard clientIDs.count <= Limits.clientIDs else { return [.tooManyClientIDs(provider, app: app)] }
        return clientIDs.indices.filter { index in
            let text = clientIDs[index]
            return !text.isVisibleASCII(Limits.clientIDLength) || clientIDs[..<index].contains(text)
        }.map { .clientID(provider, index: $0, app: app) }
    }
}

extension Realm {
    /// A problem if second factors are mandatory, and users can add neither a factor nor a passkey: users without one
    /// could not sign in.
    public var secondFactorProblems: [ConfigurationProblem] {
        let factors = policy.secondFactors
        let canAddOne = factors.allowsTOTP || factors.allowsSMS || project.passkeys.isEnabled
        return factors.state == .mandatory && !canAddOne ? [.noSecondFactor(tenant: tenant?.id)] : []
    }

    /// Violations of guideline 4.8 by `apps`.
    public func loginServicesProblems(of apps: [ConfiguredApp]) -> [ConfigurationProblem] {
        var realm = self
        realm.project.apps = apps.map(\.app)
        return apps.flatMap { configured in
            LoginServices(of: configured.app, in: realm).violations
                .map { .loginServices($0, app: configured.app.id, tenant: tenant?.id) }
        }
    }
}

extension ProjectConfiguration {
    private static func isName(_ text: String) -> Bool {
        Limits.nameLength.contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    static func isBundleID(_ text: String) -> Bool {
        text.utf8.count <= Limits.bundleIDLength
            && text.wholeMatch(of: /[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*/) != nil
    }

    private static func isPackage(_ text: String) -> Bool {
        text.utf8.count <= Limits.bundleIDLength && text.wholeMatch(of: /[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*/) != nil
    }

    private static func isSHA1Fingerprint(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){19}/) != nil
    }

    private static func isSHA256Fingerprint(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){31}/) != nil
    }

    private static func isWebDomain(_ text: String) -> Bool {
        Project.isHostName(text.beginsExactly(with: "*.") ? String(text.dropFirst(2)) : text)
    }

    private static func areHostedDomains(_ domains: [String], of provider: Provider) -> Bool {
        guard provider.settings.contains(.hostedDomains) else { return domains.isEmpty }
        return domains.count <= Limits.hostedDomains && Set(domains).count == domains.count
            && domains.allSatisfy(Project.isHostName)
    }

    /// OpenID Connect Discovery 1.0 §3: https, without query and fragment. No provider has dot segments in its issuer.
    private static func isIssuer(_ text: String, _ rules: ConfigurationRules) -> Bool {
        text.hostOfURLWithoutQuery(byteLimit: Limits.issuerLength, acceptsLoopback: rules.acceptsLoopbackIssuers) != nil
            && IssuerAddress(text)?.hasDotSegments == false
    }
}

extension ID where Subject == App {
    /// Whether an app of a project can have the ID. The account page and the console are apps of the gateway.
    public var isValidAppID: Bool {
        let isReserved = self == App.accountPage.id || self == App.console.id
        return !isReserved && rawValue.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,62}/) != nil
    }
}
