/// Why a configuration is invalid. A case that is named after a member means that the member's value is invalid.
/// Contains the ID or the position of the member, not the value.
public enum ConfigurationProblem: Hashable, Sendable {
    case projectName
    /// - Parameter app: `nil` for the brand of the project.
    case brandName(app: ID<App>?)
    /// The project has not stored an image of a brand.
    case brandImage(ID<BrandImage>)
    case tooManyDomains
    /// - Parameter index: from 0.
    case domain(index: Int)
    /// The URL of the sender of text messages.
    case smsURL
    case smsSecret(SMSSettings.Format)
    /// The fields or the user name of a form.
    case smsFields
    case callingCode
    case smsRegion(String)
    case smsBudget
    case testPhoneNumbers
    case emailSenderName
    /// The value is not the URL of a page.
    case emailActionURL
    /// The URL is neither at an authorized domain nor at the gateway's own host.
    case emailActionHost
    case emailSubject(OutgoingEmail.Kind, Language)
    case customText(CustomText, Language)
    case passkeyRPID
    case passkeyOrigins
    /// An origin is not of the RP ID's host.
    case foreignPasskeyOrigin
    case tooManyRelatedOrigins
    /// Second factors are mandatory, and users can add neither a factor nor a passkey.
    /// - Parameter tenant: `nil` for the project itself.
    case noSecondFactor(tenant: ID<Tenant>?)
    case tooManyProviders
    case unknownProvider(ProviderID, expected: SupportedProviders)
    /// The provider has settings that are only for Apple, or only for OpenID Connect providers.
    case foreignSettings(ProviderID)
    /// - Parameter app: `nil` for the list of the project.
    case noClientIDs(ProviderID, app: ID<App>?)
    case tooManyClientIDs(ProviderID, app: ID<App>?)
    case clientID(ProviderID, index: Int, app: ID<App>?)
    /// Apple cannot have issued the value.
    case appleClientID(index: Int, app: ID<App>?)
    case appleTeamID
    case appleKeyID
    case issuerMissing(ProviderID)
    case issuer(ProviderID)
    /// The issuer is that of a built-in provider.
    case builtInIssuer(ProviderID, of: ProviderID)
    case relation(ProviderID, Provider.Relations)
    /// The relation is not one that the login of another company, such as Facebook, can have.
    case relationOfPublicLogin(ProviderID, login: String)
    case relationReason(ProviderID)
    /// - Parameter permittedFor: the IDs of the providers that have the setting.
    case hostedDomains(ProviderID, permittedFor: [String])
    case displayName(ProviderID)
    case secret(ProviderID)
    case tooManyApps
    case appID(ID<App>)
    case appName(ID<App>)
    case bundleID(ID<App>)
    case androidPackage(ID<App>)
    case androidCertificate(ID<App>)
    case webDomain(ID<App>)
    case associatedDomain(ID<App>)
    case androidFingerprint(ID<App>)
    case appTeamID(ID<App>)
    /// The app has an associated host, but neither bundle IDs with a team nor packages with a fingerprint.
    case association(ID<App>)
    case redirectURI(ID<App>)
    case tooManyValues(ID<App>, list: String, count: Int)
    /// The value is not a provider, is listed twice, or is also a sign-in method.
    case linkOnlyMethod(ProviderID, app: ID<App>)
    case unknownSignInMethod(ProviderID, app: ID<App>, expected: SupportedProviders)
    case repeatedSignInMethod(ProviderID, app: ID<App>)
    case exemptionReason(ID<App>)
    /// - Parameter tenant: `nil` for the project itself.
    case loginServices(LoginServicesViolation, app: ID<App>, tenant: ID<Tenant>? = nil)

    /// Whether the problem is a violation of guideline 4.8.
    public var isLoginServicesViolation: Bool {
        if case .loginServices = self { true } else { false }
    }

    /// Whether the problem is a violation of guideline 4.8 by an OpenID provider of a tenant.
    fileprivate var isOpenIDWithoutApple: Bool {
        guard case .loginServices(let violation, _, _?) = self else { return false }
        return violation.provider.isGenericOpenID
    }

    /// See ``LoginServicesViolation/isDueToPolicy``.
    fileprivate var isDueToPolicy: Bool {
        if case .loginServices(let violation, _, _) = self { violation.isDueToPolicy } else { false }
    }

    /// Identifies a problem before and after an edit. Violations of guideline 4.8 are identified by app, tenant and
    /// provider, other problems by all their values.
    fileprivate struct Subject: Hashable {
        let app: ID<App>?
        let tenant: ID<Tenant>?
        let provider: ProviderID?
        let problem: ConfigurationProblem?
    }

    fileprivate var subject: Subject {
        if case .loginServices(let violation, let app, let tenant) = self {
            Subject(app: app, tenant: tenant, provider: violation.provider, problem: nil)
        } else {
            Subject(app: nil, tenant: nil, provider: nil, problem: self)
        }
    }
}

extension [ConfigurationProblem] {
    /// Separates the problems that an edit adds from those that existed before it.
    public func split(since old: [ConfigurationProblem]) -> (
        added: [ConfigurationProblem], kept: [ConfigurationProblem]
    ) {
        let known = Set(old.map(\.subject))
        return (filter { !known.contains($0.subject) }, filter { known.contains($0.subject) })
    }

    /// Separates the problems as ``split(since:)`` does, but problems that `rules` accept count as kept.
    public func split(since old: [ConfigurationProblem], by rules: ConfigurationRules) -> (
        added: [ConfigurationProblem], kept: [ConfigurationProblem]
    ) {
        let (added, kept) = split(since: old)
        guard rules.acceptsTenantsWithoutApple else { return (added, kept) }
        return (added.filter { !$0.isOpenIDWithoutApple }, kept + added.filter(\.isOpenIDWithoutApple))
    }
}

/// A configuration was rejected as a whole.
public struct ConfigurationRefusal: Refusal, Hashable {
    /// The problems; at least one.
    public let problems: [ConfigurationProblem]

    public init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }
}

extension ConfigurationRefusal {
    /// The code for guideline 4.8 if all problems are violations of it.
    public var code: ErrorCode { problems.allSatisfy(\.isLoginServicesViolation) ? .loginServices : .invalidConfig }

    public var detail: String? {
        let shown = problems.prefix(10).map(\.description)
        let remaining = problems.count > shown.count ? ["\(problems.count - shown.count) more"] : []
        return (shown + remaining + [advice].compactMap(\.self)).joined(separator: "; ")
    }

    /// How the operator can make the change nevertheless; `nil` if there is no other way than to solve the problems.
    public var advice: String? {
        let advice = [
            problems.contains(where: \.isDueToPolicy) ? LoginServicesViolation.policyAdvice : nil,
            problems.contains(where: \.isOpenIDWithoutApple) ? LoginServicesViolation.organisationAdvice : nil,
        ].compactMap(\.self)
        return advice.isEmpty ? nil : advice.joined(separator: "; ")
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    public var description: String {
        let limits = ProjectConfiguration.Limits.self
        return switch self {
        case .projectName: "the project's name \(Self.nameRule)"
        case .brandImage(let id): "the project has no image \(id)"
        case .brandName(nil): "brand.name \(Self.headerTextRule)"
        case .brandName(let app?): "app \(app): brand.name \(Self.headerTextRule)"
        case .tooManyDomains: "there must not be more than \(Project.domainLimit) authorized domains"
        case .domain(let index):
            "authorized domain \(index + 1) must be a host name, without scheme, port or path"
        case .smsURL: "sms.url must be an https URL without user, query and fragment"
        case .smsSecret(.webhook):
            "the secret of sms must be one or two signing secrets (\"whsec_\" and at least 24 bytes in Base64), separated by a space"
        case .smsSecret(.form): "the password of sms must be printable ASCII of at most 512 bytes"
        case .smsFields:
            "sms must have at most \(SMSSettings.fieldLimit) fields, whose templates may contain {number}, {text}, {code} and {locale}, and a user name without a colon"
        case .callingCode:
            "allowedCallingCodes and perCallingCode of sms must contain at most \(SMSSettings.allowedLimit) prefixes of 1 to 7 digits, without a plus sign"
        case .smsRegion(let region):
            "\(ProviderID(region).shown) is not a region with telephone numbers: expected two upper-case letters, such as JP"
        case .smsBudget: "a budget of sms must be 0 to \(SMSSettings.budgetRange.upperBound)"
        case .testPhoneNumbers:
            "there must not be more than \(SMSSettings.testNumberLimit) test numbers; each needs a plus sign and 7 to 15 digits, and a code of six digits"
        case .emailSenderName: "the sender name of emails \(Self.headerTextRule)"
        case .emailActionURL:
            "the action URL of emails must be an https URL without user, query and fragment (http for loopback only)"
        case .emailActionHost: "the action URL of emails must be at an authorized domain or at the gateway's own host"
        case .emailSubject(let kind, let language):
            "the subject of \(kind.name) in language \(language.rawValue) \(Self.headerTextRule)"
        case .customText(let key, let language): "texts.\(key.rawValue) in language \(language.rawValue) \(key.rule)"
        case .passkeyRPID:
            "rpId of passkeys must be a host name in lower case with at least two labels, without scheme, port or path, and not of localhost"
        case .passkeyOrigins:
            "origins, relatedOrigins and topOrigins of passkeys must have at most 20 items each, all different: https URLs of a host in lower case, without path"
        case .foreignPasskeyOrigin:
            "origins of passkeys must have the rpId or one of its subdomains as the host; other hosts belong to relatedOrigins"
        case .tooManyRelatedOrigins:
            "relatedOrigins of passkeys must not have more than 5 different hosts, because browsers ignore further ones"
        case .noSecondFactor(nil):
            "secondFactors must not be mandatory while users can add no second factor: set allowsTotp (TOTP in mfa.providerConfigs) or allowsSms (PHONE_SMS in mfa.enabledProviders), or enable passkeys"
        case .noSecondFactor(let tenant?):
            "tenant \(tenant): mfaConfig.state must not be MANDATORY while users can add no second factor: enable TOTP in providerConfigs or PHONE_SMS in enabledProviders, or passkeys of the project"
        case .tooManyProviders: "there must not be more than \(limits.providers) providers"
        case .unknownProvider(let id, let expected):
            "\(id.shown) is not a provider ID: expected \(expected.idList), or \"oidc.\" followed by 1 to 32 lower-case letters, digits or hyphens"
        case .foreignSettings(let id): "\(id.shown) has settings that belong to another kind of provider"
        case .noClientIDs(let id, let app):
            "\(id.shown(for: app)) needs a client ID: without one, tokens for any app would be accepted"
        case .tooManyClientIDs(let id, let app):
            "\(id.shown(for: app)) must not have more than \(limits.clientIDs) client IDs"
        case .clientID(let id, let index, let app):
            "client ID \(index + 1) of \(id.shown(for: app)) must be 1 to 255 visible ASCII characters, and listed once"
        case .appleClientID(let index, let app):
            "client ID \(index + 1) of \(ProviderID.apple.shown(for: app)) must be a bundle ID or a Services ID without the team ID: at most 155 letters, digits, hyphens, underscores and dots"
        case .appleTeamID: "apple.com's team ID must be ten upper-case letters or digits"
        case .appleKeyID: "apple.com's key ID must be ten upper-case letters or digits"
        case .issuerMissing(let id): "\(id.shown) needs an issuer"
        case .issuer(let id): "\(id.shown)'s issuer must be an https URL without user, query, fragment and dot segments"
        case .builtInIssuer(let id, let other):
            "\(id.shown)'s issuer is that of \(other.shown): configure that provider"
        case .relation(let id, .socialOrOrganisation):
            "\(id.shown)'s relation must be social, or organisation together with hostedDomains"
        case .relation(let id, .social), .relation(let id, .any): "\(id.shown)'s relation must be social"
        case .relationOfPublicLogin(let id, let login):
            "\(id.shown)'s relation must be social or thirdPartyService, because its issuer is \(login)"
        case .relationReason(let id):
            "\(id.shown)'s relationReason, which the relation own requires, \(Reason.rule)"
        case .hostedDomains(let id, let permitted):
            "\(id.shown)'s hosted domains must be at most \(limits.hostedDomains) host names, each of them once, and are for \(permitted.joined(beforeLast: "and")) only"
        case .displayName(let id): "\(id.shown)'s display name \(Self.nameRule)"
        case .secret(.apple): "apple.com's private key must be a P-256 key in PEM, as in the .p8 file"
        case .secret(let id): "\(id.shown)'s client secret must be printable ASCII of at most 512 bytes"
        case .tooManyApps: "there must not be more than \(limits.apps) apps"
        case .appID(let id):
            "\(ProviderID(id.rawValue).shown) is not an app ID: it has 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning; account and console are reserved"
        case .appName(let app): "app \(app): its name \(Self.nameRule)"
        case .bundleID(let app):
            "app \(app): each bundle ID must be at most 155 letters, digits, hyphens, underscores and dots, and listed once"
        case .androidPackage(let app):
            "app \(app): each Android package must be at most 155 letters, digits, underscores and dots, and listed once"
        case .androidCertificate(let app):
            "app \(app): each Android certificate must be a SHA-1 fingerprint of 40 hexadecimal digits, and listed once"
        case .webDomain(let app):
            "app \(app): each web domain must be a host name, optionally with *. before it, without scheme, port or path, and listed once"
        case .associatedDomain(let app):
            "app \(app): each associated domain must be a host name, without scheme, port or path, and listed once"
        case .androidFingerprint(let app):
            "app \(app): each Android fingerprint must be a SHA-256 fingerprint of 64 hexadecimal digits, and listed once"
        case .appTeamID(let app): "app \(app): its team ID must be ten upper-case letters or digits"
        case .association(let app):
            "app \(app): associatedDomains need bundleIds with a teamId, or androidPackages with androidFingerprints"
        case .redirectURI(let app):
            "app \(app): redirectUris must be https URLs, http URLs of localhost, 127.0.0.1 or [::1], or custom schemes, without fragment and without a query parameter grant or error, each listed once"
        case .tooManyValues(let app, let list, let count):
            "app \(app): \(list) has \(count) values, but may have at most \(limits.listedValues)"
        case .linkOnlyMethod(let id, let app):
            "app \(app): \(id.shown) must be a provider, listed once in linkOnlyMethods and not in signInMethods"
        case .unknownSignInMethod(let id, let app, let expected):
            "app \(app): \(id.shown) is not a sign-in method: expected \(expected.idList), oidc.*, passkey, password, phone or anonymous"
        case .repeatedSignInMethod(let id, let app): "app \(app): \(id.shown) is listed twice"
        case .exemptionReason(let app): "app \(app): the reason of its exemption \(Reason.rule)"
        case .loginServices(let violation, let app, nil): "app \(app): \(violation.descriptionWithKind)"
        case .loginServices(let violation, let app, let tenant?):
            "app \(app) in tenant \(tenant): \(violation.descriptionWithKind)"
        }
    }

    private static let headerTextRule =
        "must have 1 to 200 characters, none of them a control character or a line separator"
    private static let nameRule = "must have 1 to 256 characters, none of them a control character"
}

extension SupportedProviders {
    /// The IDs of the built-in providers for an error message: `apple.com, example.com`.
    public var idList: String { all.map(\.id.rawValue).joined(separator: ", ") }
}

extension ProviderID {
    /// The ID for an error message; `(unreadable)` for a value of more than 64 bytes or with characters other than
    /// visible ASCII.
    public var shown: String {
        let isShort = rawValue.utf8.count <= 64 && rawValue.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isShort ? rawValue : "(unreadable)"
    }

    fileprivate func shown(for app: ID<App>?) -> String {
        app.map { "\(shown) for app \($0)" } ?? shown
    }
}
