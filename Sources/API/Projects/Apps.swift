internal import HTTP
internal import Identity

/// The apps of a project: an extension of the protocol, in the style of Google's resources.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/apps"
    private static let resource = collection + "/{appId}"

    static let listApps = administrator(
        "listApps", .get, collection, needs: .config, bodyLimit: openBodyLimit
    ) { call, administrator in
        let page = try ListPage(call.request)
        let configuration = try await call.configuration(for: administrator)
        let (items, next) = page.part(of: configuration.apps) { $0.app.id.rawValue }
        return try .json(
            AppResources(apps: items.map { AppResource($0, in: configuration.project) }, nextPageToken: next))
    }

    static let createApp = administrator(
        "createApp", .post, collection, needs: .config, bodyLimit: clientBodyLimit
    ) { call, administrator in
        let input = try call.body(as: AppInput.self, for: administrator)
        let id = ID<App>(input.appId ?? "")
        guard id.canBeApp else {
            throw RequestRefusal.invalidField("/appId", "must have at most 63 characters: a to z, 0 to 9 and hyphens")
        }
        let configuration = try await call.configure(as: administrator) {
            guard $0.app(id) == nil else { throw RequestRefusal.rejected(.configurationExists) }
            var app = ConfiguredApp(app: App(id: id), name: id.rawValue)
            try input.apply(to: &app, FieldMask(nil))
            $0.set(app)
        }
        return try .json(AppResource(id, in: configuration))
    }

    static let getApp = administrator("getApp", .get, resource, needs: .config, bodyLimit: openBodyLimit) {
        call, administrator in
        try .json(AppResource(call.app, in: try await call.configuration(for: administrator)))
    }

    static let updateApp = administrator(
        "updateApp", .patch, resource, needs: .config, bodyLimit: clientBodyLimit
    ) { call, administrator in
        let (id, mask) = (call.app, call.mask)
        let input = try call.body(as: AppInput.self, for: administrator)
        let configuration = try await call.configure(as: administrator) {
            guard var app = $0.app(id) else { throw RequestRefusal.rejected(.configurationNotFound) }
            try input.apply(to: &app, mask)
            $0.set(app)
        }
        return try .json(AppResource(id, in: configuration))
    }

    static let deleteApp = administrator(
        "deleteApp", .delete, resource, needs: .config, bodyLimit: clientBodyLimit
    ) { call, administrator in
        let id = call.app
        _ = try await call.configure(as: administrator) {
            guard $0.app(id) != nil else { throw RequestRefusal.rejected(.configurationNotFound) }
            $0.remove(id)
        }
        return try .json(NoContent())
    }
}

extension EndpointCall {
    fileprivate var app: ID<App> { ID(parameters["appId"] ?? "") }
}

private struct AppResources: Encodable {
    let apps: [AppResource]
    let nextPageToken: String?
}

private struct AppResource: Encodable {
    struct Exemption: Encodable {
        let kind: String
        let reason: String
    }

    let appId: String
    let displayName: String
    let platform: String
    let distribution: String
    let bundleId: String?
    let signInMethods: [String]?
    let clientIds: [String: [String]]
    let exemption: Exemption?
    let loginServices: LoginServicesReport

    init(_ configured: ConfiguredApp, in project: Project) {
        let settings = configured.app.settings
        appId = configured.app.id.rawValue
        displayName = configured.name
        platform = settings.platform.rawValue
        distribution = settings.distribution.rawValue
        bundleId = settings.bundleID
        signInMethods = settings.signInMethods?.map(\.rawValue)
        clientIds = settings.clientIDs
        exemption = settings.exemption.map { Exemption(kind: $0.kind.rawValue, reason: $0.reason) }
        loginServices = LoginServicesReport(LoginServices(of: configured.app, in: project))
    }

    /// - Throws: `CONFIGURATION_NOT_FOUND`.
    init(_ id: ID<App>, in configuration: ProjectConfiguration) throws(RequestRefusal) {
        guard let app = configuration.app(id) else { throw .rejected(.configurationNotFound) }
        self.init(app, in: configuration.project)
    }
}

/// Whether an app follows guideline 4.8.
struct LoginServicesReport: Encodable {
    let compliant: Bool
    let violations: [String]

    init(_ services: LoginServices) {
        compliant = services.isCompliant
        violations = services.violations.map(\.wireName)
    }
}

extension LoginServicesViolation {
    var wireName: String {
        switch self {
        case .appleNotShown: "APPLE_NOT_SHOWN"
        case .appleNotEnabled: "APPLE_NOT_ENABLED"
        case .appleCannotWork: "APPLE_CANNOT_WORK"
        case .exemptionContradicted: "EXEMPTION_CONTRADICTED"
        }
    }
}

/// An update of an app. Unknown members and `loginServices` are ignored.
private struct AppInput: Decodable {
    struct Exemption: Decodable {
        let kind: String?
        let reason: String?
    }

    let appId: String?
    let displayName: String?
    let platform: String?
    let distribution: String?
    let bundleId: String?
    let signInMethods: [String]?
    let clientIds: [String: [String]]?
    let exemption: Exemption?

    func apply(to app: inout ConfiguredApp, _ mask: FieldMask) throws(RequestRefusal) {
        mask.apply("displayName", displayName, to: &app.name, initially: app.app.id.rawValue)
        var settings = app.app.settings
        mask.apply(
            "platform", try Self.known(platform, at: "/platform"), to: &settings.platform, initially: .other)
        mask.apply(
            "distribution", try Self.known(distribution, at: "/distribution"), to: &settings.distribution,
            initially: .other)
        mask.apply("bundleId", bundleId.nonEmpty, to: &settings.bundleID)
        mask.apply("signInMethods", signInMethods?.map { ProviderID($0) }, to: &settings.signInMethods)
        mask.apply("clientIds", clientIds, to: &settings.clientIDs, initially: [:])
        mask.apply("exemption", try declared(), to: &settings.exemption)
        app.app.settings = settings
    }

    private func declared() throws(RequestRefusal) -> LoginServicesExemption? {
        guard let exemption else { return nil }
        guard let kind: LoginServicesExemption.Kind = try Self.known(exemption.kind, at: "/exemption/kind") else {
            throw .invalidField("/exemption/kind", "must be present")
        }
        return LoginServicesExemption(kind: kind, reason: exemption.reason ?? "")
    }

    private static func known<Value: RawRepresentable<String>>(
        _ name: String?, at pointer: String
    ) throws(RequestRefusal) -> Value? {
        guard let name else { return nil }
        guard let value = Value(rawValue: name) else {
            throw .invalidField(pointer, "must be equal to one of the allowed values")
        }
        return value
    }
}
