/// Who changed what is configured.
public enum Operator: Hashable, Sendable {
    case commandLine
    /// A service key, by its id.
    case key(String)

    /// As the audit trail has it.
    public var name: String {
        switch self {
        case .commandLine: "cli"
        case .key(let id): "key:\(id)"
        }
    }
}

/// A line of the audit trail about what is configured. Holds no secret.
public struct ConfigurationEvent: Hashable, Sendable {
    public let action: String
    /// The id of a provider, an app or the project.
    public let subject: String
    public let detail: [String: String]

    init(_ action: String, _ subject: String, _ detail: [String: String] = [:]) {
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}

extension ProjectConfiguration {
    /// What the audit trail has to say of the way from `old` to here.
    public func events(since old: ProjectConfiguration) -> [ConfigurationEvent] {
        let changes = changes(since: old)
        let own = changes.filter { $0.path.count == 1 || ["policy", "mail"].contains($0.path[0]) }
        var events: [ConfigurationEvent] = []
        if !own.isEmpty { events.append(.changed("project", project.id.rawValue, own, depth: 0)) }
        let providers = (old.project.providers + project.providers).map(\.provider.rawValue)
        for id in Set(providers).sorted() {
            events += Self.events(
                "provider", id, changes.filter { $0.path.starts(with: ["providers", id]) },
                was: old.project.settings(of: ProviderID(id)) != nil, is: project.settings(of: ProviderID(id)) != nil)
        }
        for id in Set((old.apps + apps).map(\.app.id.rawValue)).sorted() {
            let (before, after) = (old.app(ID(id)), app(ID(id)))
            events += Self.events(
                "app", id, changes.filter { $0.path.starts(with: ["apps", id]) }, was: before != nil, is: after != nil)
            events += Self.exemptionEvents(id, before?.app.settings.exemption, after?.app.settings.exemption)
        }
        return events
    }

    private static func events(
        _ kind: String, _ id: String, _ changes: [ConfigurationChange], was: Bool, is: Bool
    ) -> [ConfigurationEvent] {
        guard !changes.isEmpty else { return [] }
        return switch (was, `is`) {
        case (false, _): [ConfigurationEvent("\(kind).added", id)]
        case (_, false): [ConfigurationEvent("\(kind).removed", id)]
        case (true, true): [.changed(kind, id, changes, depth: 2)]
        }
    }

    private static func exemptionEvents(
        _ app: String, _ old: LoginServicesExemption?, _ new: LoginServicesExemption?
    ) -> [ConfigurationEvent] {
        guard old != new else { return [] }
        let action = old == nil ? "declared" : new == nil ? "withdrawn" : "changed"
        let shown = new ?? old
        return [
            ConfigurationEvent(
                "exemption.\(action)", app, shown.map { ["kind": $0.kind.rawValue, "reason": $0.reason] } ?? [:])
        ]
    }
}

extension ConfigurationEvent {
    /// - Parameter depth: of the path, up to the subject.
    fileprivate static func changed(
        _ kind: String, _ subject: String, _ changes: [ConfigurationChange], depth: Int
    ) -> ConfigurationEvent {
        let members = changes.map { $0.path.dropFirst(depth).joined(separator: ".") }
        return ConfigurationEvent("\(kind).changed", subject, ["members": members.joined(separator: " ")])
    }
}
