internal import Console
internal import HTML
internal import HTTP
internal import Identity

extension StartPages {
    /// The start page: the newest accounts, emails and requests, and how to connect an app.
    func startScreen(_ context: ScreenContext) async throws -> Screen {
        let realm = context.realm
        let accounts = try await AccountListScreen.newest(6, context)
        let newestEmails = await deliveredEmails(in: realm).prefix(5)
        return Screen(
            "Sekisho dev",
            [
                .columns([
                    .section(
                        "Accounts",
                        [
                            .markup(.group(accounts)),
                            .markup(
                                Self.links([
                                    ("All accounts", context.consolePath(["accounts"])),
                                    ("New account", context.consolePath(["newAccount"])),
                                ])),
                        ]),
                    .section(
                        "Requests",
                        [
                            .markup(Self.requestList(requests.all.prefix(8), now: context.now)),
                            .markup(Self.links([("All requests", Self.path("/dev/requests", realm))])),
                        ]),
                    .section(
                        "Emails",
                        [
                            .markup(Self.emailList(newestEmails, realm, now: context.now)),
                            .markup(Self.links([("All emails", Self.path("/dev/emails", realm))])),
                        ]),
                    .section(
                        "Sign-ins",
                        try await OverviewScreen.signIns(context) + [
                            .markup(Self.links([("Overview", context.consolePath(["overview"]))]))
                        ]),
                    .section("Connect your app", [.markup(ConnectLines.markup(context, isDefault: isDefault(realm)))]),
                ])
            ])
    }

    private func isDefault(_ realm: RealmName) -> Bool {
        ID<Project>(realm.project) == projects.defaultID && realm.tenant == nil
    }

    static func links(_ links: [(label: String, path: String)]) -> Markup {
        Markup(.p, [.classes(["links"])], links.flatMap { [.link($0.path, .text($0.label)), .text(" ")] })
    }

    private static func requestList(_ requests: some Collection<RecordedRequest>, now: Int64) -> Markup {
        guard !requests.isEmpty else {
            return Markup(.p, text: "No requests yet. Connect your app, then open this page again.")
        }
        return Markup(
            .ul, [.classes(["rows"])],
            requests.map { request in
                Markup(
                    .li,
                    [
                        .link("/dev/requests/\(request.number)", .text(request.title)),
                        request.statusMarkup, .time(request.time.milliseconds, now: now),
                    ])
            })
    }
}

extension RecordedRequest {
    /// The method and the operation, or the path if no operation has it.
    var title: String { "\(method.rawValue) \(operationID ?? path)" }

    var isError: Bool { status >= 400 }

    var statusMarkup: Markup {
        let text = errorCode.map { "\(status) \($0)" } ?? String(status)
        return Markup(.span, [.classes([isError ? "bad" : "good"])], text: text)
    }
}
