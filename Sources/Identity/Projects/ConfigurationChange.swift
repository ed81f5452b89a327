internal import Encoding

/// One changed member of a project's configuration.
public struct ConfigurationChange: Hashable, Sendable {
    /// The names of the member and its parents, outermost first: `["providers", "apple.com", "clientIds"]`.
    public let path: [String]
    /// The value before the change; `nil` if the member was added.
    public let old: String?
    /// The value after the change; `nil` if the member was removed.
    public let new: String?
    /// Whether the member is a secret. Then ``old`` and ``new`` contain placeholders, not the values.
    public let isSecret: Bool

    public init(path: [String], old: String?, new: String?, isSecret: Bool = false) {
        self.path = path
        self.old = old
        self.new = new
        self.isSecret = isSecret
    }
}

extension ProjectConfiguration {
    /// The changes since `old`, in the order of paths. If `old` is `nil`, every member is added.
    public func changes(since old: ProjectConfiguration?) -> [ConfigurationChange] {
        let before = Dictionary(uniqueKeysWithValues: old?.members ?? [])
        let after = Dictionary(uniqueKeysWithValues: members)
        let changes = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            .map { ConfigurationChange(path: $0, old: before[$0], new: after[$0]) }
        return (changes + changedSecrets(since: old) + changedSMSSecret(since: old)).sorted {
            $0.path.lexicographicallyPrecedes($1.path)
        }
    }

    /// The changes of secrets, with the placeholders `stored` and `new` for their values.
    private func changedSecrets(since old: ProjectConfiguration?) -> [ConfigurationChange] {
        newSecrets.compactMap { provider, secret in
            // An empty secret deletes the stored one.
            let wasStored = old?.realm.settings(of: provider)?.hasSecret == true
            guard wasStored || !secret.isEmpty else { return nil }
            return ConfigurationChange(
                path: ["providers", provider.rawValue, provider == .apple ? "privateKey" : "clientSecret"],
                old: wasStored ? "stored" : nil, new: secret.isEmpty ? nil : "new", isSecret: true)
        }
    }

    private func changedSMSSecret(since old: ProjectConfiguration?) -> [ConfigurationChange] {
        guard let secret = newSMSSecret else { return [] }
        let wasStored = old?.realm.project.sms.hasSecret == true
        guard wasStored || !secret.isEmpty else { return [] }
        return [
            ConfigurationChange(
                path: ["sms", "secret"], old: wasStored ? "stored" : nil, new: secret.isEmpty ? nil : "new",
                isSecret: true)
        ]
    }

    /// Every member that has a value, with the value as text. Secrets are excluded.
    private var members: [([String], String)] {
        let policy = Policy.members.map { (["policy", $0.name], $0.text(in: realm.policy)) }
        let domains = realm.project.authorizedDomains.joined(separator: ", ")
        return [(["name"], name), (["profile"], realm.project.profile.rawValue)] + policy
            + (domains.isEmpty ? [] : [(["authorizedDomains"], domains)])
            + realm.project.emailSettings.members.map { (["email"] + $0.0, $0.1) }
            + realm.project.passkeys.members.map { (["passkeys", $0.0], $0.1) }
            + realm.project.sms.members.map { (["sms"] + $0.0, $0.1) }
            + realm.project.blockingFunctions.members.map { (["blockingFunctions", $0.0], $0.1) }
            + realm.project.brand.members.map { (["brand", $0.0], $0.1) }
            + realm.project.texts.all.map { (["texts", $0.key.rawValue, $0.language.rawValue], $0.text) }
            + realm.providers.sorted { $0.provider.rawValue < $1.provider.rawValue }.flatMap { provider in
                provider.members.map { (["providers", provider.provider.rawValue, $0.0], $0.1) }
            }
            + apps.flatMap { app in app.members.map { (["apps", app.app.id.rawValue] + $0.0, $0.1) } }
    }
}

extension EmailSettings {
    fileprivate var members: [([String], String)] {
        let all: [([String], String?)] =
            [
                (["senderAddress"], senderAddress?.rawValue), (["senderName"], senderName),
                (["replyTo"], replyTo?.rawValue), (["actionUrl"], actionURL), (["language"], language.rawValue),
            ]
            + subjects.flatMap { kind, texts in
                texts.map { (["subjects", kind.name, $0.key.rawValue], $0.value) }
            }
        return all.compactMap { path, value in value.map { (path, $0) } }
    }
}

extension PasskeySettings {
    /// Empty for the default, which is the same as absent settings.
    fileprivate var members: [(String, String)] {
        let lists = [("origins", origins), ("relatedOrigins", relatedOrigins), ("topOrigins", topOrigins)]
        let texts = lists.map { ($0.0, $0.1.isEmpty ? nil : $0.1.joined(separator: ", ")) }
        let all: [(String, String?)] = [("enabled", isEnabled ? "true" : nil), ("rpId", rpID)] + texts
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

extension SMSSettings {
    /// A change of ``hasSecret`` is listed as a change of the secret. The codes of test numbers are listed, because
    /// they protect nothing.
    fileprivate var members: [([String], String)] {
        let regionMember: (name: String, list: [String]) =
            switch regions {
            case .listed(let regions): ("allowedRegions", regions)
            case .allExcept(let regions): ("disallowedRegions", regions)
            }
        let allRegions = if case .allExcept = regions { true } else { false }
        let all: [([String], String?)] =
            [
                (["format"], format == .webhook ? nil : format.rawValue), (["url"], url), (["username"], username),
                (["allowedCallingCodes"], Self.list(allowedCallingCodes)),
                (
                    [regionMember.name],
                    allRegions ? regionMember.list.joined(separator: ", ") : Self.list(regionMember.list)
                ),
                (["budgetPerDay"], budgetPerDay == SMSSettings().budgetPerDay ? nil : "\(budgetPerDay)"),
            ]
            + fields.map { (["fields", $0.rawValue], $1) }
            + perCallingCode.map { (["perCallingCode", $0.rawValue], "\($1)") }
            + testNumbers.map { (["testPhoneNumbers", $0.rawValue], $1) }
        return all.compactMap { path, value in value.map { (path, $0) } }
    }

    /// `nil` for an empty list, which is the default.
    private static func list(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }
}

extension BlockingFunctions {
    fileprivate var members: [(String, String)] {
        let forwarded = [
            ("idToken", forwardsIDToken), ("accessToken", forwardsAccessToken), ("refreshToken", forwardsRefreshToken),
        ]
        return triggers.sorted { $0.key < $1.key }.map { ($0.key.rawValue, $0.value.rawValue) }
            + forwarded.filter(\.1).map { ("forwards.\($0.0)", "true") }
    }
}

extension Brand {
    /// Only the members that are set.
    fileprivate var members: [(String, String)] {
        let all = [
            ("name", name), ("color", color?.text), ("logo", logo?.id.rawValue), ("darkLogo", darkLogo?.id.rawValue),
            ("favicon", favicon?.id.rawValue), ("privacyUrl", privacy?.text), ("termsUrl", terms?.text),
            ("supportUrl", support?.text),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

extension ProviderSettings {
    fileprivate var members: [(String, String)] {
        let all: [(String, String?)] = [
            ("enabled", "\(isEnabled)"), ("clientIds", clientIDs.joined(separator: ", ")),
            ("teamId", apple?.teamID), ("keyId", apple?.keyID),
            ("acceptsUnhashedNonces", apple.map { "\($0.acceptsUnhashedNonces)" }),
            ("issuer", openID?.issuer), ("displayName", openID?.displayName),
            ("trustsEmail", openID.map { "\($0.trustsEmail)" }), ("relation", statedRelation?.rawValue),
            ("responseType.idToken", openID?.responseType?.idToken.map { "\($0)" }),
            ("responseType.code", openID?.responseType?.code.map { "\($0)" }),
            ("relationReason", relationReason?.text),
            ("hostedDomains", hostedDomains.isEmpty ? nil : hostedDomains.joined(separator: ", ")),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

extension ConfiguredApp {
    fileprivate var members: [([String], String)] {
        let settings = app.settings
        let all: [([String], String?)] =
            [
                (["name"], name), (["platform"], settings.platform.rawValue),
                (["distribution"], settings.distribution.rawValue), (["bundleIds"], Self.list(settings.bundleIDs)),
                (["signInMethods"], settings.signInMethods.map { $0.map(\.rawValue).joined(separator: ", ") }),
                (["linkOnlyMethods"], Self.list(settings.linkOnlyMethods.map(\.rawValue))),
                (["requestedScopes"], settings.requestedScopeNames.map { $0.joined(separator: ", ") }),
                (["androidPackages"], Self.list(settings.callers.androidPackages)),
                (["androidCertificates"], Self.list(settings.callers.androidCertificates)),
                (["webDomains"], Self.list(settings.callers.webDomains)),
                (["associatedDomains"], Self.list(settings.association.domains)),
                (["teamId"], settings.association.teamID),
                (["androidFingerprints"], Self.list(settings.association.androidFingerprints)),
                (["redirectUris"], Self.list(settings.redirectURIs)),
                (["allowsSilentSignIn"], settings.allowsSilentSignIn ? "true" : nil),
            ]
            + settings.clientIDs.sorted { $0.key < $1.key }
            .map { (["clientIds", $0.key.rawValue], $0.value.joined(separator: ", ")) }
            + [
                (["exemption", "kind"], settings.exemption?.kind.rawValue),
                (["exemption", "reason"], settings.exemption?.reason.text),
            ] + settings.brand.members.map { (["brand", $0.0], $0.1) }
        return all.compactMap { path, value in value.map { (path, $0) } }
    }

    /// `nil` for an empty list, which is the default.
    private static func list(_ values: [String]) -> String? {
        values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension AppSettings {
    /// The requested scopes in a fixed order; `nil` for all of them, which is the default.
    public var requestedScopeNames: [String]? {
        let all = RequestedScope.allCases
        return requestedScopes.count == all.count ? nil : all.filter(requestedScopes.contains).map(\.rawValue)
    }
}
