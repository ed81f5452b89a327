internal import Identity
internal import JSON

/// The members of Identity Platform's `Config`, `Tenant`, `DefaultSupportedIdpConfig` and `OAuthIdpConfig`, and the
/// gateway's own. `InboundSamlConfig` has no table, because its operations are not implemented.
extension [ConfigurationMember] {
    static let ofProject: Self =
        ofRealm + ofSignIn + ofNotification
        + ConfigurationMember.all(
            .applied, in: "passkeys", "enabled", "origins", "relatedOrigins", "rpId", "topOrigins")
        + ConfigurationMember.all(
            .applied, in: "brand", "color", "darkLogo", "favicon", "logo", "name", "privacyUrl", "supportUrl",
            "termsUrl")
        + ConfigurationMember.all(
            .applied, "authorizedDomains", "loginServicesConfig.requiresAppleOnEveryPlatform", "texts")
        + ConfigurationMember.all(.applied, "smsRegionConfig")
        + ConfigurationMember.all(
            .applied, in: "sms", "allowedCallingCodes", "budgetPerDay", "fields", "format", "perCallingCode", "secret",
            "url", "username")
        + ConfigurationMember.all(.ignored, in: "sms", "isSecretStored")
        + ConfigurationMember.all(.accepted(.bool(true)), "multiTenant.allowTenants")
        + ConfigurationMember.all(.off, "quota")
        + ConfigurationMember.all(.applied, in: "blockingFunctions", "triggers")
        + ConfigurationMember.all(
            .applied, in: "blockingFunctions.forwardInboundCredentials", "accessToken", "idToken", "refreshToken")
        + ofSecondFactors("mfa")
        + ConfigurationMember.all(
            .ignored, "client.apiKey", "client.firebaseSubdomain", "defaultHostingSite", "mobileLinksConfig",
            "monitoring", "multiTenant.defaultTenantLocation", "name", "subtype", "warnings")

    static let ofTenant: Self =
        ofRealm
        + ConfigurationMember.all(
            .applied, "allowPasswordSignup", "disableAuth", "displayName", "enableAnonymousUser",
            "enableEmailLinkSignin")
        + ConfigurationMember.all(.off, "smsRegionConfig", "testPhoneNumbers") + ofSecondFactors("mfaConfig")
        + ConfigurationMember.all(
            .ignored, "hashConfig", "inheritance", "mobileLinksConfig", "monitoring", "name", "tenantId", "warnings")

    static let ofDefaultProvider: Self =
        ofProvider
        + ConfigurationMember.all(.applied, "hostedDomains")
        + ConfigurationMember.all(.applied, in: "appleSignInConfig", "acceptsUnhashedNonces", "bundleIds")
        + ConfigurationMember.all(
            .applied, in: "appleSignInConfig.codeFlowConfig", "keyId", "privateKey", "teamId")

    static let ofOpenIDProvider: Self =
        ofProvider
        + ConfigurationMember.all(.applied, "displayName", "issuer", "relationReason", "trustsEmail")
        + ConfigurationMember.all(.applied, in: "responseType", "code", "idToken")
        + ConfigurationMember.all(.off, in: "responseType", "token")

    /// The members that projects and tenants have.
    private static let ofRealm: Self =
        ConfigurationMember.all(.applied, "autodeleteAnonymousUsers", "emailPrivacyConfig.enableImprovedEmailPrivacy")
        + ConfigurationMember.all(
            .applied, in: "client.permissions", "disabledUserDeletion", "disabledUserSignup")
        + ConfigurationMember.all(.off, "recaptchaConfig") + ofPasswordPolicy

    private static func ofSecondFactors(_ path: String) -> Self {
        ConfigurationMember.all(.applied, in: path, "enabledProviders", "state", "providerConfigs")
    }

    private static let ofPasswordPolicy: Self =
        ConfigurationMember.all(
            .applied, in: "passwordPolicyConfig", "forceUpgradeOnSignin", "passwordPolicyEnforcementState")
        + ConfigurationMember.all(
            .applied, in: "passwordPolicyConfig.passwordPolicyVersions.customStrengthOptions",
            "containsLowercaseCharacter", "containsNonAlphanumericCharacter", "containsNumericCharacter",
            "containsUppercaseCharacter", "minPasswordLength")
        + ConfigurationMember.all(
            .accepted(.integer(Int64(Policy.maximumPasswordLength))),
            in: "passwordPolicyConfig.passwordPolicyVersions.customStrengthOptions", "maxPasswordLength")
        + ConfigurationMember.all(
            .ignored, in: "passwordPolicyConfig", "lastUpdateTime", "passwordPolicyVersions.schemaVersion")

    private static let ofSignIn: Self =
        ConfigurationMember.all(
            .applied, in: "signIn", "allowDuplicateEmails", "anonymous.enabled", "email.enabled",
            "email.passwordRequired")
        + ConfigurationMember.all(.applied, in: "signIn.phoneNumber", "enabled", "testPhoneNumbers")
        + ConfigurationMember.all(.ignored, in: "signIn", "hashConfig")

    private static let ofNotification: Self =
        ConfigurationMember.all(.applied, in: "notification", "defaultLocale", "sendEmail.callbackUri")
        + ConfigurationMember.all(.off, in: "notification.sendEmail", "dnsInfo", "smtp")
        + ConfigurationMember.all(
            .accepted(.string("METHOD_UNSPECIFIED"), .string("DEFAULT"), .integer(0), .integer(1)),
            in: "notification.sendEmail", "method")
        + ConfigurationMember.all(
            .ignored, in: "notification", "sendEmail.legacyResetPasswordTemplate",
            "sendEmail.revertSecondFactorAdditionTemplate", "sendSms")
        + ["changeEmailTemplate", "resetPasswordTemplate", "verifyEmailTemplate"].flatMap(ofTemplate)

    private static func ofTemplate(_ name: String) -> Self {
        let path = "notification.sendEmail.\(name)"
        return ConfigurationMember.all(.applied, in: path, "replyTo", "senderDisplayName", "subject")
            + ConfigurationMember.all(
                .accepted { value, realm in
                    value.isOff || realm.project.emailSettings.senderLocalPart.map { value == .string($0) } == true
                }, in: path, "senderLocalPart")
            + ConfigurationMember.all(.off, in: path, "body")
            + ConfigurationMember.all(.ignored, in: path, "bodyFormat", "customized")
    }

    /// The operations check that `targetProjectId` and `tenantId` name the realm of the path.
    private static let ofProvider: Self =
        ConfigurationMember.all(
            .applied, "clientId", "clientIds", "clientSecret", "enabled", "relation", "targetProjectId", "tenantId")
        + ConfigurationMember.all(.ignored, "name", "warnings")
}
