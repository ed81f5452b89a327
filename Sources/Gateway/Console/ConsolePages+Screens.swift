internal import API
internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity

extension ConsolePages {
    /// The endpoints of the console. openapi.yaml does not contain them.
    var endpoints: [Endpoint] {
        signInEndpoints + screenEndpoints
            + [
                file("ConsoleAuditFile", "audit/file") { try await AuditFile.response($0) },
                .pageOutsideContract("getConsole", .get, Self.home) { try await start($0) },
                .pageOutsideContract("getConsoleStylesheet", .get, ConsoleStylesheet.path) { _ in
                    ConsoleStylesheet.response
                },
            ]
    }

    private var screenEndpoints: [Endpoint] {
        screen("ConsoleAccounts", "accounts") { try await AccountListScreen.screen($0) }
            + screen("ConsoleNewAccount", "newAccount") { NewAccountScreen.screen($0) }
            + screen("ConsoleAccount", "accounts/account") {
                try await AccountScreen.screen(of: $0.request.query("id") ?? "", $0)
            }
            + screen("ConsoleOverview", "overview") { try await OverviewScreen.screen($0) }
            + screen("ConsoleAudit", "audit") { try await AuditScreen.screen($0) }
            + screen("ConsoleEvents", "events") { try await EventEndpointsScreen.screen($0) }
            + screen("ConsoleQueues", "queues") { try await QueuesScreen.screen($0) }
            + screen("ConsoleHealth", "health") { try await HealthScreen.screen($0) }
            + screen("ConsoleAdministrators", "administrators") { try await AdministratorsScreen.screen($0) }
            + screen("ConsoleSettings", "settings") { try await PoliciesScreen.screen($0) }
            + screen("ConsoleProviders", "providers") { try await ProvidersScreen.screen($0) }
            + screen("ConsoleTenants", "tenants") { try await TenantsScreen.screen($0) }
            + screen("ConsoleApps", "apps") { try await AppsScreen.screen($0) }
            + screen("ConsoleAppReview", "apps/review") {
                try await AppReviewScreen.screen(of: $0.request.query("id") ?? "", $0)
            }
            + screen("ConsoleBrand", "brand", bodyLimit: Endpoint.uploadBodyLimit) {
                try await BrandScreen.screen($0)
            }
            + screen("ConsoleTexts", "texts") { try await TextsScreen.screen($0) }
    }

    /// Leads to the first project of the person.
    private func start(_ call: EndpointCall) async throws -> Response {
        try await serving(call) { cookies in
            guard let person = try await person(&cookies) else { return Self.redirect(to: SignInScreens.path) }
            guard let project = try await visibleProjects(of: person).first else {
                return Self.redirect(to: SignInScreens.path)
            }
            return Self.redirect(to: ConsolePath.text(RealmName(project: project.rawValue, tenant: nil), ["overview"]))
        }
    }

    /// The maximum number of projects that the switch lists.
    private static let listedProjects = 100

    private func visibleProjects(of person: ConsolePerson) async throws -> [ID<Project>] {
        let all = try await projects()
        return Array(all.filter { person.roles.role(in: $0) != nil }.prefix(Self.listedProjects))
    }

    /// The navigation, the switch between projects, and what concerns the person.
    func frame(of visit: Visit, _ context: ScreenContext) async throws -> PageFrame {
        let realm = context.realm
        let link = { (label: String, segment: String) in PageFrame.Link(label, ConsolePath.text(realm, [segment])) }
        let links = [
            link("Overview", "overview"), AccountListScreen.link(realm), link("Events", "events"),
            link("Queues", "queues"), link("Health", "health"), link("Audit", "audit"), SettingsTabs.link(realm),
            link("Administrators", "administrators"),
        ]
        return PageFrame(
            product: .init("Sekisho console", Self.home), links: links,
            switches: [
                try await projectSwitch(of: visit),
                personSwitch(of: visit, context, offersPasskeys: try await signIn.offersPasskeys()),
            ], banners: [])
    }

    private func projectSwitch(of visit: Visit) async throws -> Markup {
        let items = try await visibleProjects(of: visit.person).map { id in
            Markup(
                .li,
                [
                    .link(
                        ConsolePath.text(RealmName(project: id.rawValue, tenant: nil), ["overview"]),
                        .isolated(id.rawValue))
                ])
        }
        return Self.details("Project", visit.project.rawValue, [Markup(.ul, items)])
    }

    private func personSwitch(of visit: Visit, _ context: ScreenContext, offersPasskeys: Bool) -> Markup {
        let person = visit.person
        let role = person.roles.role(in: visit.project)?.rawValue ?? "no role"
        let confirmation =
            person.isProven(at: clock.now())
            ? Markup(.p, text: "You have confirmed that it is you. Dangerous actions are possible for a few minutes.")
            : Markup(
                .p,
                [
                    .text("Dangerous actions need your password and a code, or your passkey. "),
                    .link(
                        ConsolePath.withQuery(SignInScreens.path, "continue", context.path),
                        .text("Confirm that it is you")),
                ])
        let passkeys =
            offersPasskeys
            ? [Markup(.p, [.link(SignInScreens.passkeysPath, .text("Your passkeys"))])] : []
        let recoveryCodes =
            person.account.secondFactors.isEmpty
            ? [] : [Markup(.p, [.link(SignInScreens.recoveryCodesPath, .text("Your recovery codes"))])]
        let signOut = PersonForm("signOut", to: SignInScreens.signOutPath, button: "Sign out", isQuiet: true)
        return Self.details(
            role, person.account.email?.rawValue ?? person.account.id.rawValue,
            [confirmation] + passkeys + recoveryCodes + [signOut.markup(context.forms, for: context.browser)])
    }

    private static func details(_ label: String, _ current: String, _ content: [Markup]) -> Markup {
        Markup(
            .details, [.classes(["switch"])],
            [Markup(.summary, [.text("\(label): "), .isolated(current)]), Markup(.div, content)])
    }
}
