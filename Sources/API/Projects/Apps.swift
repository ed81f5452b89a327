internal import HTTP
internal import Identity

/// The apps of a project. Firebase Authentication has no such operations; their form follows that of Identity
/// Platform's resources.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/apps"
    private static let resource = collection + "/{appId}"

    static let listApps = administrator(
        "listApps", .get, collection, needs: .readConfig
    ) { call, administrator in
        let page = try ListPage(call.request)
        let configuration = try await call.configuration(for: administrator)
        let (items, next) = page.select(from: configuration.apps, orderedBy: { $0.app.id.rawValue })
        return try .json(
            AppResources(apps: items.map { AppResource($0, in: configuration.realm) }, nextPageToken: next))
    }

    static let createApp = administrator(
        "createApp", .post, collection, needs: .config
    ) { call, administrator in
        let input = try call.body(as: AppInput.self, for: administrator)
        let id = ID<App>(input.appId ?? "")
        guard id.isValidAppID else {
            throw RequestRefusal.invalidField(
                "/appId",
                "must have 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning; account and console are reserved"
            )
        }
        let images = try await call.images(of: input.brand, for: administrator)
        let configuration = try await call.editConfiguration(as: administrator) {
            guard $0.app(id) == nil else { throw RequestRefusal.rejected(.configurationExists) }
            var app = ConfiguredApp(app: App(id: id), name: id.rawValue)
            try input.apply(to: &app, maskedBy: .all, images: images)
            $0.set(app)
        }
        return try .json(AppResource(id, in: configuration))
    }

    static let getApp = administrator("getApp", .get, resource, needs: .readConfig) {
        call, administrator in
        try .json(AppResource(call.appID, in: try await call.configuration(for: administrator)))
    }

    static let updateApp = administrator(
        "updateApp", .patch, resource, needs: .config
    ) { call, administrator in
        let (id, mask) = (call.appID, call.updateMask)
        let input = try call.body(as: AppInput.self, for: administrator)
        let images = try await call.images(of: input.brand, for: administrator)
        let configuration = try await call.editConfiguration(as: administrator) {
            guard var app = $0.app(id) else { throw RequestRefusal.rejected(.configurationNotFound) }
            try input.apply(to: &app, maskedBy: mask, images: images)
            $0.set(app)
        }
        return try .json(AppResource(id, in: configuration))
    }

    static let deleteApp = administrator(
        "deleteApp", .delete, resource, needs: .config.withRecentProof
    ) { call, administrator in
        let id = call.appID
        _ = try await call.editConfiguration(as: administrator) {
            guard $0.app(id) != nil else { throw RequestRefusal.rejected(.configurationNotFound) }
            $0.remove(id)
        }
        return .noContent
    }
}

extension EndpointCall {
    fileprivate var appID: ID<App> { ID(parameters["appId"] ?? "") }
}

private struct AppResources: Encodable {
    let apps: [AppResource]
    let nextPageToken: String?
}
