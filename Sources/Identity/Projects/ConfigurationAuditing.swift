extension ProjectConfiguration {
    /// The audit events for the change from `old` to this configuration.
    public func events(since old: ProjectConfiguration) -> [AuditNote] {
        let changes = changes(since: old)
        // Members of the project itself, of its policy, and of its other settings that are not of one app or provider.
        let groups = ["policy", "email", "passkeys", "sms", "blockingFunctions", "brand", "texts"]
        let projectChanges = changes.filter { $0.path.count == 1 || groups.contains($0.path[0]) }
        var events: [AuditNote] = []
        if !projectChanges.isEmpty {
            events.append(.changed("project", realm.id.rawValue, projectChanges, omittingComponents: 0))
        }
        let requiresApple = realm.policy.requiresAppleOnEveryPlatform
        if requiresApple != old.realm.policy.requiresAppleOnEveryPlatform {
            let action = requiresApple ? "everyPlatform" : "applePlatforms"
            events.append(AuditNote("loginServices.\(action)", realm.id.rawValue))
        }
        events += Self.brandEvents(realm.id.rawValue, old.realm.project.brand, realm.project.brand)
        let providers = (old.realm.providers + realm.providers).map(\.provider.rawValue)
        for id in Set(providers).sorted() {
            events += Self.events(
                "provider", id, changes.filter { $0.path.starts(with: ["providers", id]) },
                existed: old.realm.settings(of: ProviderID(id)) != nil,
                exists: realm.settings(of: ProviderID(id)) != nil)
            events += Self.declarationEvents(
                "relation", id, old.realm.settings(of: ProviderID(id))?.declaredRelation,
                realm.settings(of: ProviderID(id))?.declaredRelation)
        }
        for id in Set((old.apps + apps).map(\.app.id.rawValue)).sorted() {
            let (before, after) = (old.app(ID(id)), app(ID(id)))
            events += Self.events(
                "app", id, changes.filter { $0.path.starts(with: ["apps", id]) }, existed: before != nil,
                exists: after != nil)
            events += Self.declarationEvents(
                "exemption", id, before?.app.settings.exemption?.detail, after?.app.settings.exemption?.detail)
            events += Self.brandEvents(
                id, before?.app.settings.brand ?? Brand(), after?.app.settings.brand ?? Brand(), ["app": id])
        }
        return events
    }

    private static func events(
        _ kind: String, _ id: String, _ changes: [ConfigurationChange], existed: Bool, exists: Bool
    ) -> [AuditNote] {
        guard !changes.isEmpty else { return [] }
        return switch (existed, exists) {
        case (false, _): [AuditNote("\(kind).added", id)]
        case (_, false): [AuditNote("\(kind).removed", id)]
        case (true, true): [.changed(kind, id, changes, omittingComponents: 2)]
        }
    }

    /// The event of a new brand, which may imitate another company's.
    private static func brandEvents(
        _ subject: String, _ old: Brand, _ new: Brand, _ detail: [String: String] = [:]
    ) -> [AuditNote] {
        old == new ? [] : [AuditNote("brand.changed", subject, new.detail.merging(detail) { $1 })]
    }

    /// The event of an operator's declaration: an exemption from guideline 4.8, or a provider's relation.
    private static func declarationEvents(
        _ kind: String, _ subject: String, _ old: [String: String]?, _ new: [String: String]?
    ) -> [AuditNote] {
        guard old != new else { return [] }
        let action = old == nil ? "declared" : new == nil ? "withdrawn" : "changed"
        return [AuditNote("\(kind).\(action)", subject, new ?? old ?? [:])]
    }
}

extension Brand {
    /// The members of the brand, without an email address.
    fileprivate var detail: [String: String] {
        let support = support?.isEmail == true ? "mailto" : support?.text
        let all = [
            "name": name, "color": color?.text, "logo": logo?.id.rawValue, "darkLogo": darkLogo?.id.rawValue,
            "favicon": favicon?.id.rawValue, "privacyUrl": privacy?.text, "termsUrl": terms?.text,
            "supportUrl": support,
        ]
        return all.compactMapValues(\.self)
    }
}

extension LoginServicesExemption {
    fileprivate var detail: [String: String] { ["kind": kind.rawValue, "reason": reason.text] }
}

extension ProviderSettings {
    /// The stated relation with its reason; `nil` if the relation is `social`.
    fileprivate var declaredRelation: [String: String]? {
        guard let statedRelation, statedRelation != .social else { return nil }
        let detail = ["relation": statedRelation.rawValue]
        return relationReason.map { detail.merging(["reason": $0.text]) { $1 } } ?? detail
    }
}

extension AuditNote {
    /// - Parameter count: how many path components identify the subject. They are omitted from the members' names.
    fileprivate static func changed(
        _ kind: String, _ subject: String, _ changes: [ConfigurationChange], omittingComponents count: Int
    ) -> AuditNote {
        let members = changes.map { $0.path.dropFirst(count).joined(separator: ".") }
        return AuditNote("\(kind).changed", subject, ["members": members.joined(separator: " ")])
    }
}
