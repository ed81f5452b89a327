internal import Encoding
package import HTML
internal import HTTP
internal import JSON

/// Lists and finds the accounts of a project or tenant.
package enum AccountListScreen {
    static let pageSize = 25
    /// The maximum length of a name in a list, in characters.
    private static let shownName = 60
    /// The number of newest accounts among which a filter selects, because the API has no such filter.
    static let filteredAccounts = 500

    enum Filter: String, CaseIterable {
        case all, disabled, guest, relayStopped, notVerified

        var label: String {
            switch self {
            case .all: "All accounts"
            case .disabled: "Disabled"
            case .guest: "Guests"
            case .relayStopped: "Relay stopped"
            case .notVerified: "Email not verified"
            }
        }

        func accepts(_ account: AccountSummary) -> Bool {
            switch self {
            case .all: true
            case .disabled: account.isDisabled
            case .guest: account.isGuest
            case .relayStopped: account.isRelayStopped
            case .notVerified: account.email != nil && !account.emailIsVerified
            }
        }
    }

    /// What the query of the page selects.
    struct Selection {
        let text: String
        let filter: Filter
        /// From 0.
        let page: Int
        /// The token of a later page of a search; `nil` for the first.
        let pageToken: String?

        init(_ context: ScreenContext) {
            text = context.request.query("q") ?? ""
            filter = context.request.query("filter").flatMap(Filter.init) ?? .all
            page = context.request.query("page").flatMap { Int($0) }.map { min(max(0, $0), 4000) } ?? 0
            pageToken = context.request.query("pageToken")
        }
    }

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let selection = Selection(context)
        let result = try await context.perform(try call(selection, context))
        let results: [ScreenBlock] =
            result.isSuccess
            ? list(result, selection, context)
            : [.paragraph(context.problem(result))]
        let new = Markup(
            .a, [.classes(["button"]), .href(URLReference(context.consolePath(["newAccount"])))], text: "New account")
        return Screen(
            "Accounts", notices: ["delete": "The account was deleted."],
            [
                .markup(Markup(.p, [new])),
                .section("Find accounts", [.markup(searchForm(selection, context))]),
                .section(selection.filter.label, results),
            ])
    }

    /// The newest accounts, for the start page.
    package static func newest(_ count: Int, _ context: ScreenContext) async throws -> [Markup] {
        let result = try await context.perform(try newestCall(limit: count, offset: 0, context))
        guard result.isSuccess else { return [Markup(.p, text: context.problem(result))] }
        let accounts = accounts(in: result)
        guard !accounts.isEmpty else { return [Markup(.p, text: "No accounts yet.")] }
        return [
            Markup(
                .ul, [.classes(["rows"])],
                accounts.map { account in
                    Markup(
                        .li,
                        [link(to: account, context)] + account.tags.map { .tag($0) }
                            + time(account.createdAt, context))
                })
        ]
    }

    private static func call(_ selection: Selection, _ context: ScreenContext) throws -> APICall {
        guard selection.text.isEmpty else {
            let token = selection.pageToken.map { [APICall.Parameter("nextPageToken", $0)] } ?? []
            return try context.catalog.call(
                "searchAccounts", in: context.realm,
                query: [.init("q", selection.text), .init("maxResults", "\(pageSize)")] + token)
        }
        return selection.filter == .all
            ? try newestCall(limit: pageSize + 1, offset: selection.page * pageSize, context)
            : try newestCall(limit: filteredAccounts, offset: 0, context)
    }

    private static func newestCall(limit: Int, offset: Int, _ context: ScreenContext) throws -> APICall {
        try context.catalog.call(
            "queryAccounts", in: context.realm,
            body: [
                "sortBy": .string("CREATED_AT"), "order": .string("DESC"), "limit": .string("\(limit)"),
                "offset": .string("\(offset)"),
            ])
    }

    static func accounts(in result: APIResult) -> [AccountSummary] {
        let users = result.json?["userInfo"].elements ?? []
        return (users.isEmpty ? (result.json?["users"]).elements : users).compactMap(AccountSummary.init)
    }

    private static func list(
        _ result: APIResult, _ selection: Selection, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let found = accounts(in: result).filter(selection.filter.accepts)
        let isPaged = selection.text.isEmpty && selection.filter == .all
        let shown = found.prefix(isPaged ? pageSize : 50)
        guard !shown.isEmpty else {
            return [.paragraph(selection.text.isEmpty ? "There are no such accounts." : "No account was found.")]
        }
        let rows = shown.map { row($0, context) }
        var blocks: [ScreenBlock] = [.markup(.table("Accounts", ["Account", "Sign-in", "State", "Created"], rows))]
        if selection.filter != .all {
            blocks.append(.paragraph("The filter selects among the \(filteredAccounts) newest accounts."))
        }
        let links = pageLinks(
            selection, hasMore: isPaged && found.count > pageSize, next: result.json?["nextPageToken"]?.text, context)
        return blocks + (links.isEmpty ? [] : [.markup(Markup(.p, [.classes(["links"])], links))])
    }

    private static func row(_ account: AccountSummary, _ context: ScreenContext) -> [Markup] {
        [
            .group(
                [link(to: account, context), .text(" ")]
                    + (account.displayName.map { [.isolated(String($0.prefix(shownName)))] } ?? [])),
            .text(account.providers.joined(separator: ", ")),
            .group(account.tags.map { .tag($0) }),
            .group(time(account.createdAt, context)),
        ]
    }

    private static func link(to account: AccountSummary, _ context: ScreenContext) -> Markup {
        .link(context.consolePath(["accounts", account.id]), .isolated(String(account.title.prefix(shownName))))
    }

    private static func time(_ milliseconds: Int64?, _ context: ScreenContext) -> [Markup] {
        milliseconds.map { [.time($0, now: context.now)] } ?? []
    }

    private static func pageLinks(
        _ selection: Selection, hasMore: Bool, next token: String?, _ context: ScreenContext
    ) -> [Markup] {
        var links: [Markup] = []
        if selection.page > 0 {
            links.append(
                .link(context.consolePath(["accounts"], [("page", "\(selection.page - 1)")]), .text("Newer")))
        }
        if hasMore {
            links.append(
                .link(context.consolePath(["accounts"], [("page", "\(selection.page + 1)")]), .text("Older")))
        }
        if let token {
            links.append(
                .link(
                    context.consolePath(["accounts"], [("q", selection.text), ("pageToken", token)]), .text("More")))
        }
        return links.flatMap { [$0, .text(" ")] }
    }

    private static func searchForm(_ selection: Selection, _ context: ScreenContext) -> Markup {
        let tenant = context.realm.tenant.map { tenant in
            Markup.void(.input, [.type("hidden"), .name("tenant"), .value(tenant)])
        }
        let text = FormField(
            "q", "Email address, phone number, or beginning of an ID", value: selection.text)
        let filter = FormField(
            "filter", "Filter", .choice(Filter.allCases.map { .init($0.rawValue, $0.label) }),
            value: selection.filter.rawValue)
        return Markup(
            .form,
            [
                .classes(["search"]), .role("search"),
                .action(
                    URLReference(ConsolePath.text(.init(project: context.realm.project, tenant: nil), ["accounts"]))),
            ],
            [tenant].compactMap(\.self)
                + [
                    text.searchMarkup, filter.searchMarkup,
                    Markup(.button, [.type("submit")], text: "Search"),
                ])
    }
}
