internal import Encoding
internal import Gateway
internal import Identity

extension ProjectFile {
    /// Changes the configuration to what the file states.
    ///
    /// - Parameter pruning: if `true`, removes the providers and apps that the file omits, and resets the other omitted
    ///   settings to their defaults. Omitted names, an omitted profile, and omitted secrets of providers in the file
    ///   are kept. If `false`, every omitted setting stays as it is.
    func apply(to configuration: inout ProjectConfiguration, pruning: Bool) {
        if let name { configuration.name = name }
        applyPolicy(to: &configuration.realm, pruning: pruning)
        if let authorizedDomains {
            configuration.realm.project.authorizedDomains = authorizedDomains.map { $0.lowercased() }
        } else if pruning {
            configuration.realm.project.authorizedDomains = []
        }
        configuration.realm.project.emailSettings = emailSettings(
            replacing: configuration.realm.project.emailSettings, pruning: pruning)
        configuration.realm.project.passkeys = passkeySettings(
            replacing: configuration.realm.project.passkeys, pruning: pruning)
        applySMS(to: &configuration, pruning: pruning)
        configuration.realm.project.blockingFunctions = functions(
            replacing: configuration.realm.project.blockingFunctions, pruning: pruning)
        configuration.realm.project.brand = brand.brand(
            replacing: configuration.realm.project.brand, pruning: pruning)
        configuration.realm.project.texts = texts.value(
            current: pruning ? CustomTexts() : configuration.realm.project.texts, default: CustomTexts())
        if pruning {
            for settings in configuration.realm.providers where providers[ByteText(settings.provider.rawValue)] == nil {
                configuration.remove(settings.provider)
            }
            for app in configuration.apps where apps[ByteText(app.app.id.rawValue)] == nil {
                configuration.remove(app.app.id)
            }
        }
        for (id, input) in providers.sorted(by: { $0.key < $1.key }) {
            input.apply(to: &configuration, ProviderID(id.rawValue), pruning: pruning)
        }
        for (id, input) in apps.sorted(by: { $0.key < $1.key }) {
            configuration.set(input.applied(to: configuration.app(ID(id.rawValue)), ID(id.rawValue), pruning: pruning))
        }
    }

    /// Applies the profile and the policy. A new profile changes the settings that have the default of the old profile.
    private func applyPolicy(to realm: inout Realm, pruning: Bool) {
        let overrides = pruning ? [:] : realm.policy.overrides(of: realm.project.profile)
        if let profile { realm.project.profile = profile }
        realm.policy = Policy(realm.project.profile, overrides: overrides.merging(policy) { $1 })
    }
}

extension ProjectFile {
    /// Pruning turns passkeys off, but keeps the RP ID: with another one, no passkey could be used again.
    private func passkeySettings(replacing current: PasskeySettings, pruning: Bool) -> PasskeySettings {
        var settings = pruning ? PasskeySettings(rpID: current.rpID) : current
        guard let passkeys else { return settings }
        if let isEnabled = passkeys.isEnabled { settings.isEnabled = isEnabled }
        if let rpID = passkeys.rpID { settings.rpID = rpID }
        if let origins = passkeys.origins { settings.origins = origins }
        if let relatedOrigins = passkeys.relatedOrigins { settings.relatedOrigins = relatedOrigins }
        if let topOrigins = passkeys.topOrigins { settings.topOrigins = topOrigins }
        return settings
    }

    private func emailSettings(replacing current: EmailSettings, pruning: Bool) -> EmailSettings {
        switch email {
        case .absent: pruning ? EmailSettings() : current
        case .null: EmailSettings()
        case .value(let input): input.applied(to: pruning ? EmailSettings() : current)
        }
    }
}

extension ProjectFile {
    /// Settings that are reset also lose the secret.
    private func applySMS(to configuration: inout ProjectConfiguration, pruning: Bool) {
        switch sms {
        case .absent where !pruning: break
        case .absent, .null:
            configuration.realm.project.sms = SMSSettings(hasSecret: configuration.realm.project.sms.hasSecret)
            configuration.setSMS(Secret(""))
        case .value(let input):
            let current = configuration.realm.project.sms
            configuration.realm.project.sms = input.applied(
                to: pruning ? SMSSettings(hasSecret: current.hasSecret) : current)
            if let secret = input.secret { configuration.setSMS(secret) }
        }
    }
}

extension ProjectFile {
    private func functions(replacing current: BlockingFunctions, pruning: Bool) -> BlockingFunctions {
        switch blockingFunctions {
        case .absent: return pruning ? BlockingFunctions() : current
        case .null: return BlockingFunctions()
        case .value(let input):
            var functions = pruning ? BlockingFunctions() : current
            if let triggers = input.triggers { functions.triggers = triggers }
            if let forwards = input.forwardsIDToken { functions.forwardsIDToken = forwards }
            if let forwards = input.forwardsAccessToken { functions.forwardsAccessToken = forwards }
            if let forwards = input.forwardsRefreshToken { functions.forwardsRefreshToken = forwards }
            return functions
        }
    }
}

extension ProjectFile.SMS {
    fileprivate func applied(to current: SMSSettings) -> SMSSettings {
        var settings = current
        if let format { settings.format = format }
        url.apply(to: &settings.url)
        username.apply(to: &settings.username)
        if let fields { settings.fields = fields }
        if let allowedCallingCodes { settings.allowedCallingCodes = allowedCallingCodes }
        if let regions { settings.regions = regions }
        if let budgetPerDay { settings.budgetPerDay = budgetPerDay }
        if let perCallingCode { settings.perCallingCode = perCallingCode }
        if let testPhoneNumbers { settings.testNumbers = testPhoneNumbers }
        return settings
    }
}

extension ProjectFile.Email {
    fileprivate func applied(to current: EmailSettings) -> EmailSettings {
        var settings = current
        senderAddress.apply(to: &settings.senderAddress)
        senderName.apply(to: &settings.senderName)
        replyTo.apply(to: &settings.replyTo)
        actionURL.apply(to: &settings.actionURL)
        settings.language = language.value(current: settings.language, default: .english)
        settings.subjects = subjects.value(current: settings.subjects, default: [:])
        return settings
    }
}

extension ProjectFile.Provider {
    func apply(to configuration: inout ProjectConfiguration, _ id: ProviderID, pruning: Bool) {
        let current = configuration.realm.settings(of: id)
        let initial = ProviderSettings(
            provider: id, isEnabled: true, clientIDs: [], hasSecret: current?.hasSecret ?? false,
            openID: id.isGenericOpenID ? OpenIDSettings(issuer: "") : nil)
        var settings = pruning ? initial : current ?? initial
        if let isEnabled { settings.isEnabled = isEnabled }
        if let clientIDs { settings.clientIDs = clientIDs }
        relation.apply(to: &settings.statedRelation)
        relationReason.apply(to: &settings.relationReason)
        if let hostedDomains { settings.hostedDomains = hostedDomains }
        if id == .apple, settings.apple != nil || teamID != nil || keyID != nil || acceptsUnhashedNonces != nil {
            let apple = settings.apple
            settings.apple = AppleSettings(
                teamID: teamID ?? apple?.teamID ?? "", keyID: keyID ?? apple?.keyID ?? "",
                acceptsUnhashedNonces: acceptsUnhashedNonces ?? apple?.acceptsUnhashedNonces ?? false)
        }
        if let issuer { settings.openID?.issuer = issuer }
        if var openID = settings.openID {
            displayName.apply(to: &openID.displayName)
            if let trustsEmail { openID.trustsEmail = trustsEmail }
            settings.openID = openID
        }
        configuration.set(settings)
        if let secret { configuration.set(secret, of: id) }
    }
}

extension ProjectFile.ProjectApp {
    fileprivate func applied(to current: ConfiguredApp?, _ id: ID<App>, pruning: Bool) -> ConfiguredApp {
        var app = current ?? ConfiguredApp(app: App(id: id), name: id.rawValue)
        if let name { app.name = name }
        var settings = pruning ? AppSettings() : app.app.settings
        if let platform { settings.platform = platform }
        if let distribution { settings.distribution = distribution }
        if let bundleIDs { settings.bundleIDs = bundleIDs }
        var methods = settings.signInMethods?.map(\.rawValue)
        signInMethods.apply(to: &methods)
        settings.signInMethods = methods?.map { ProviderID($0) }
        if let linkOnlyMethods { settings.linkOnlyMethods = linkOnlyMethods.map { ProviderID($0) } }
        if let clientIDs { settings.clientIDs = clientIDs }
        settings.requestedScopes = requestedScopes.value(
            current: settings.requestedScopes, default: Set(AppSettings.RequestedScope.allCases))
        if let androidPackages { settings.callers.androidPackages = androidPackages }
        if let androidCertificates { settings.callers.androidCertificates = androidCertificates }
        if let webDomains { settings.callers.webDomains = webDomains }
        if let associatedDomains { settings.association.domains = associatedDomains }
        teamID.apply(to: &settings.association.teamID)
        if let androidFingerprints { settings.association.androidFingerprints = androidFingerprints }
        if let redirectURIs { settings.redirectURIs = redirectURIs }
        if let allowsSilentSignIn { settings.allowsSilentSignIn = allowsSilentSignIn }
        exemption.apply(to: &settings.exemption)
        settings.brand = brand.brand(replacing: settings.brand, pruning: pruning)
        app.app.settings = settings
        return app
    }
}
