/// Separates configuration changes that ``ServiceKeyScope/config`` alone allows from those that also need
/// ``ServiceKeyScope/trust``.
///
/// Ordinary members affect neither whose tokens are accepted, nor where codes are sent, nor the words of emails. Each
/// `replacingOrdinaryMembers` returns the old value with the ordinary members of the new value. If the result differs
/// from the new value, the change needs ``ServiceKeyScope/trust``. A member that is not listed here is not ordinary.
extension ProjectConfiguration {
    /// Whether the change from `old` needs ``ServiceKeyScope/trust``.
    public func changesTrust(since old: ProjectConfiguration) -> Bool {
        let ids = Set((old.apps + apps).map(\.app.id))
        return !newSecrets.isEmpty || newSMSSecret != nil || name != old.name
            || old.realm.replacingOrdinaryMembers(from: realm) != realm
            || ids.contains { id in
                // A missing app is compared as one with default settings. A new app therefore needs `trust` only if it
                // sets a member that is not ordinary, such as its own client IDs.
                let (before, after) = (old.app(id)?.app.settings, app(id)?.app.settings)
                let new = after ?? AppSettings()
                return (before ?? AppSettings()).replacingOrdinaryMembers(from: new) != new
            }
    }
}

extension Realm {
    fileprivate func replacingOrdinaryMembers(from new: Realm) -> Realm {
        var realm = self
        // Apps are compared separately.
        realm.project.apps = new.project.apps
        realm.policy = policy.replacingOrdinaryMembers(from: new.policy)
        realm.project.emailSettings = project.emailSettings.replacingOrdinaryMembers(
            from: new.project.emailSettings)
        realm.project.brand = project.brand.replacingOrdinaryMembers(from: new.project.brand)
        realm.providers = providers.map { old in
            new.settings(of: old.provider).map(old.replacingOrdinaryMembers) ?? old
        }
        return realm
    }
}

extension Policy {
    /// Not ordinary: whether Google's addresses are trusted in every domain, whether a nonce is required, whether an
    /// account follows a relay address, whether identities survive a reset, whether callers must state their app,
    /// whether apps for other platforms than Apple's need Apple, and what the withdrawal of a parent's consent does.
    fileprivate func replacingOrdinaryMembers(from new: Policy) -> Policy {
        var policy = self
        policy.allowsPasswords = new.allowsPasswords
        policy.allowsAnonymous = new.allowsAnonymous
        policy.allowsEmailLinks = new.allowsEmailLinks
        policy.allowsPhoneNumbers = new.allowsPhoneNumbers
        policy.allowsSignUp = new.allowsSignUp
        policy.allowsDeletion = new.allowsDeletion
        policy.allowsDuplicateEmails = new.allowsDuplicateEmails
        policy.protectsLastSignInMethod = new.protectsLastSignInMethod
        policy.passwordPolicy = new.passwordPolicy
        policy.rejectsBreachedPasswords = new.rejectsBreachedPasswords
        policy.verificationLifetime = new.verificationLifetime
        policy.resetLifetime = new.resetLifetime
        policy.passwordFailureLimit = new.passwordFailureLimit
        policy.signUpLimit = new.signUpLimit
        policy.emailLimit = new.emailLimit
        policy.anonymousLifetime = new.anonymousLifetime
        policy.auditRetention = new.auditRetention
        policy.emailEnumerationProtection = new.emailEnumerationProtection
        policy.rotatesRefreshTokens = new.rotatesRefreshTokens
        policy.refreshTokenGracePeriod = new.refreshTokenGracePeriod
        policy.recentLoginMaxAge = new.recentLoginMaxAge
        policy.requiresRecentLoginToLink = new.requiresRecentLoginToLink
        policy.idTokenLifetime = new.idTokenLifetime
        policy.sessionLimit = new.sessionLimit
        policy.dropsUnrequestedProfile = new.dropsUnrequestedProfile
        return policy
    }
}

extension EmailSettings {
    /// Not ordinary: the sender's address (it receives bounces), the reply address (it receives replies that quote a
    /// code), the target of links, and the texts with which an email could deceive its reader.
    fileprivate func replacingOrdinaryMembers(from new: EmailSettings) -> EmailSettings {
        var emailSettings = self
        emailSettings.language = new.language
        return emailSettings
    }
}

extension Brand {
    /// Not ordinary: the name, the images and the links, with which a page or an email could deceive its reader.
    fileprivate func replacingOrdinaryMembers(from new: Brand) -> Brand {
        var brand = self
        brand.color = new.color
        return brand
    }
}

extension ProviderSettings {
    /// Disabling a provider is ordinary; enabling it is not. Its display name is not ordinary, because emails show it.
    fileprivate func replacingOrdinaryMembers(from new: ProviderSettings) -> ProviderSettings {
        var settings = self
        settings.isEnabled = isEnabled && new.isEnabled
        return settings
    }
}

extension AppSettings {
    fileprivate func replacingOrdinaryMembers(from new: AppSettings) -> AppSettings {
        var settings = self
        settings.platform = new.platform
        settings.distribution = new.distribution
        settings.signInMethods = new.signInMethods
        settings.requestedScopes = new.requestedScopes
        settings.exemption = new.exemption
        settings.brand = brand.replacingOrdinaryMembers(from: new.brand)
        return settings
    }
}
