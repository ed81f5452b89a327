internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import Storage

extension StartPages {
    /// The maximum number of projects and of tenants that the switch lists.
    private static let listedRealms = 20

    /// The navigation, the switches and the banners of a page.
    func frame(_ context: ScreenContext) async throws -> PageFrame {
        PageFrame(
            product: .init("Sekisho dev", Self.path("/", context.realm)), links: Self.links(context.realm),
            switches: [try await projectSwitch(context), try await tenantSwitch(context)].compactMap(\.self),
            banners: Self.clockBanner(clock))
    }

    static func links(_ realm: RealmName) -> [PageFrame.Link] {
        [
            .init("Overview", ConsolePath.text(realm, ["overview"])),
            AccountListScreen.link(realm), .init("Emails", path("/dev/emails", realm)),
            .init("Codes", path("/dev/codes", realm)), .init("Events", path("/dev/events", realm)),
            .init("People", path("/dev/people", realm)),
            .init("Clock", path("/dev/clock", realm)), .init("Requests", path("/dev/requests", realm)),
            .init("Data", path("/dev/data", realm)),
            .init("Health", ConsolePath.text(realm, ["health"])),
            SettingsTabs.link(realm), .init("Docs", "/docs"),
        ]
    }

    /// The path of a page of `dev` with the project and the tenant in its query.
    static func path(_ path: String, _ realm: RealmName, _ query: [(String, String)] = []) -> String {
        let all = [("project", realm.project)] + (realm.tenant.map { [("tenant", $0)] } ?? []) + query
        return path + "?" + PercentEncoding.encode(form: all)
    }

    private func projectSwitch(_ context: ScreenContext) async throws -> Markup {
        let ids = try await projects.store.projectRealms().prefix(Self.listedRealms).map(\.id.rawValue)
        let items = ids.map { id in
            Markup(.li, [.link(Self.path("/", RealmName(project: id, tenant: nil)), .isolated(id))])
        }
        return Self.switchMarkup("Project", context.realm.project, items)
    }

    /// - Returns: `nil` if the project has no tenants.
    private func tenantSwitch(_ context: ScreenContext) async throws -> Markup? {
        let tenants = try await PostgresTenantStore(pool: projects.pool, supporting: projects.supportedProviders)
            .tenants(after: nil, limit: Self.listedRealms, of: ID<Project>(context.realm.project))
        guard !tenants.isEmpty || context.realm.tenant != nil else { return nil }
        let realms = [nil] + tenants.map { $0.id.rawValue as String? }
        let items = realms.map { tenant in
            Markup(
                .li,
                [
                    .link(
                        Self.path("/", RealmName(project: context.realm.project, tenant: tenant)),
                        .isolated(tenant ?? "No tenant"))
                ])
        }
        return Self.switchMarkup("Tenant", context.realm.tenant ?? "none", items)
    }

    private static func switchMarkup(_ label: String, _ current: String, _ items: [Markup]) -> Markup {
        Markup(
            .details, [.classes(["switch"])],
            [
                Markup(.summary, [.text("\(label): "), .isolated(current)]),
                Markup(.div, [Markup(.ul, items)]),
            ])
    }

    static func clockBanner(_ clock: DevClock) -> [Markup] {
        guard clock.isChanged else { return [] }
        let time = TimeText.absolute(clock.now.milliseconds)
        let state = clock.isFrozen ? "The clock is frozen at" : "The clock was changed. It is now"
        return [
            Markup(
                .p, [.classes(["banner"]), .role("note")],
                [.text("\(state) \(time). "), .link("/dev/clock", .text("Reset it"))])
        ]
    }
}
