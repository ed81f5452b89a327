internal import Encoding
package import HTML
internal import HTTP
internal import JSON

/// Lists and finds the accounts of a project or tenant.
package enum AccountListScreen {
    static let pageSize = 50
    /// The API skips at most 100 000 accounts.
    private static let lastPage = 100_000 / pageSize
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
            text = (context.request.query("q") ?? "").trimmed
            filter = context.request.query("filter").flatMap(Filter.init) ?? .all
            page = context.request.query("page").flatMap { Int($0) }.map { min(max(0, $0), lastPage) } ?? 0
            pageToken = context.request.query("pageToken")
        }
    }

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let selection = Selection(context)
        let result = try await context.perform(try call(selection, context))
        let results: [ScreenBlock] =
            result.isSuccess
            ? list(
                try await found(result, selection, context), result, try await total(selection, context), selection,
                context)
            : [.problem(context.problem(result))]
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
        guard result.isSuccess else { return [context.problem(result).markup()] }
        let accounts = AccountSummary.all(in: result)
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
            ? try newestCall(limit: pageSize, offset: selection.page * pageSize, context)
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

    /// Returns the accounts of a response that the filter accepts. The first page of a search also has those of the
    /// newest accounts whose email address or name begins with the text, because the API searches only whole addresses.
    private static func found(
        _ result: APIResult, _ selection: Selection, _ context: ScreenContext
    ) async throws -> [AccountSummary] {
        var found = AccountSummary.all(in: result)
        if !selection.text.isEmpty, selection.pageToken == nil {
            let newest = AccountSummary.all(
                in: try await context.perform(try newestCall(limit: filteredAccounts, offset: 0, context)))
            found += newest.filter { account in
                account.begins(with: selection.text) && !found.contains { $0.id.isExactly(account.id) }
            }
        }
        return found.filter(selection.filter.accepts)
    }

    /// Returns the number of all accounts; `nil` for a search or a filter.
    private static func total(_ selection: Selection, _ context: ScreenContext) async throws -> Int? {
        guard selection.text.isEmpty, selection.filter == .all else { return nil }
        let counted = try await context.perform(
            try context.catalog.call("queryAccounts", in: context.realm, body: ["returnUserInfo": .bool(false)]))
        return (counted.json?["recordsCount"]?.text).flatMap { Int($0) }
    }

    private static func list(
        _ found: [AccountSummary], _ result: APIResult, _ total: Int?, _ selection: Selection, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let shown = found.prefix(pageSize)
        guard !shown.isEmpty else {
            return [.paragraph(selection.text.isEmpty ? "There are no such accounts." : "No account was found.")]
        }
        let rows = shown.map { row($0, context) }
        var blocks: [ScreenBlock] = [.markup(.table("Accounts", ["Account", "Sign-in", "State", "Created"], rows))]
        if let total {
            let first = selection.page * pageSize + 1
            blocks.append(.paragraph("Accounts \(first) to \(first + shown.count - 1) of \(total), newest first."))
        }
        if selection.filter != .all, selection.text.isEmpty {
            blocks.append(.paragraph("The filter selects among the \(filteredAccounts) newest accounts."))
        }
        let links = pageLinks(selection, of: total ?? 0, next: result.json?["nextPageToken"]?.text, context)
        return blocks + (links.isEmpty ? [] : [.markup(Markup(.p, [.classes(["links"])], links))])
    }

    private static func row(_ account: AccountSummary, _ context: ScreenContext) -> [Markup] {
        [
            .group(
                [link(to: account, context), .text(" ")]
                    + ((account.email == nil ? nil : account.displayName).map {
                        [.isolated($0.shortened(to: shownName))]
                    } ?? [])),
            .text(account.providers.joined(separator: ", ")),
            .group(account.tags.map { .tag($0) }),
            .group(time(account.createdAt, context)),
        ]
    }

    private static func link(to account: AccountSummary, _ context: ScreenContext) -> Markup {
        .link(context.accountPath(account.id), .isolated(account.title.shortened(to: shownName)))
    }

    private static func time(_ milliseconds: Int64?, _ context: ScreenContext) -> [Markup] {
        milliseconds.map { [.time($0, now: context.now)] } ?? []
    }

    private static func pageLinks(
        _ selection: Selection, of total: Int, next token: String?, _ context: ScreenContext
    ) -> [Markup] {
        let last = min(max(0, total - 1) / pageSize, lastPage)
        func link(_ label: String, to page: Int) -> Markup {
            .link(context.consolePath(["accounts"], [("page", "\(page)")]), .text(label))
        }
        var links: [Markup] = []
        if selection.page > 0 { links += [link("Newest", to: 0), link("Newer", to: selection.page - 1)] }
        if selection.page < last { links += [link("Older", to: selection.page + 1), link("Oldest", to: last)] }
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
            "q", "Email address, phone number, name or ID", value: selection.text,
            hint: "The beginning of an ID, or a whole email address or phone number. Of the \(filteredAccounts) newest "
                + "accounts, also the beginning of an email address or name.")
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
