internal import Encoding
package import HTML
internal import HTTP
internal import JSON

/// Lists and finds the accounts of a project or tenant.
package enum AccountListScreen {
    static let pageSize = 50
    /// The maximum length of a name in a list, in characters.
    private static let shownName = 60
    /// The maximum length of a search text, in code points; that of the operation `searchAccounts`.
    private static let searchTextLimit = 254

    /// The link of the navigation to the screens of accounts.
    package static func link(_ realm: RealmName) -> PageFrame.Link {
        PageFrame.Link(
            "Accounts", ConsolePath.text(realm, ["accounts"]), others: [ConsolePath.text(realm, ["newAccount"])])
    }

    /// What the query of the page selects.
    struct Selection {
        /// The encrypted search text; `nil` if the page shows a list.
        let search: String?
        /// The search text; `nil` if the page shows a list, or the search has expired.
        let text: String?
        let list: AccountList
        /// `nil` for the first page.
        let pageToken: String?

        init(_ context: ScreenContext) {
            search = context.request.query("search")
            text = search.flatMap { context.sealedTexts.open($0, context.realm) }
            list = context.request.query("list").flatMap(AccountList.init) ?? .newest
            pageToken = context.request.query("pageToken")
        }

        var hasExpired: Bool { search != nil && text == nil }

        /// The parameters of the operation `searchAccounts`.
        var parameters: [APICall.Parameter] {
            (text.map { [.init("q", $0)] } ?? list.parameters) + [.init("maxResults", "\(pageSize)")]
                + (pageToken.map { [.init("nextPageToken", $0)] } ?? [])
        }

        /// The query of the page that shows the same list from its beginning.
        var query: [(String, String)] { search.map { [("search", $0)] } ?? [("list", list.rawValue)] }
    }

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let selection = Selection(context)
        let new = Markup(
            .a, [.classes(["button"]), .href(URLReference(context.consolePath(["newAccount"])))], text: "New account")
        return Screen(
            "Accounts",
            [
                .markup(Markup(.p, [new])),
                .section(
                    "Find accounts", [.form(searchForm(selection, context)), .markup(listForm(selection, context))]),
                .section(
                    selection.search == nil ? selection.list.label : "Found accounts",
                    try await results(selection, context)),
            ])
    }

    private static func results(_ selection: Selection, _ context: ScreenContext) async throws -> [ScreenBlock] {
        guard !selection.hasExpired else { return [.paragraph("This search has expired. Search again.")] }
        let result = try await context.perform(
            try context.catalog.call("searchAccounts", in: context.realm, query: selection.parameters))
        return result.isSuccess ? rows(result, selection, context) : [.problem(context.problem(result))]
    }

    /// The newest accounts, for the start page.
    package static func newest(_ count: Int, _ context: ScreenContext) async throws -> [Markup] {
        let result = try await context.perform(
            try context.catalog.call(
                "searchAccounts", in: context.realm,
                query: AccountList.newest.parameters + [.init("maxResults", "\(count)")]))
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

    private static func rows(
        _ result: APIResult, _ selection: Selection, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let accounts = AccountSummary.all(in: result)
        let rows = accounts.map { row($0, context) }
        let links = pageLinks(selection, next: result.json?["nextPageToken"]?.text, context)
        return [
            accounts.isEmpty
                ? .paragraph(selection.text == nil ? "There are no such accounts." : "No account was found.")
                : .markup(.table("Accounts", ["Account", "Sign-in", "State", "Created"], rows))
        ] + (links.isEmpty ? [] : [.markup(Markup(.p, [.classes(["links"])], links))])
    }

    private static func row(_ account: AccountSummary, _ context: ScreenContext) -> [Markup] {
        [
            .group(
                [link(to: account, context), .text(" ")]
                    + ((account.email == nil ? nil : account.displayName).map {
                        [.isolated($0.shortened(to: shownName))]
                    } ?? [])),
            .text(account.providers.map(Words.method).joined(separator: ", ")),
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
        _ selection: Selection, next token: String?, _ context: ScreenContext
    ) -> [Markup] {
        func link(_ label: String, _ query: [(String, String)]) -> Markup {
            .link(context.consolePath(["accounts"], query), .text(label))
        }
        let first = selection.pageToken == nil ? [] : [link("First page", selection.query)]
        let next = token.map { [link("Next page", selection.query + [("pageToken", $0)])] } ?? []
        return (first + next).flatMap { [$0, .text(" ")] }
    }

    private static func searchForm(_ selection: Selection, _ context: ScreenContext) -> Form {
        let text = FormField(
            "q", "ID, email address, phone number or name", value: selection.text ?? "",
            hint: "The beginning of an ID or a name, a whole email address or phone number, "
                + "or a provider and its ID of the user, such as apple.com:001234.abcd.")
        return Form(search: "search", button: "Search", [text]) { input in
            let text = input["q"].trimmed
            guard text.unicodeScalars.count <= searchTextLimit else {
                throw Form.InvalidField("q", "The text has more than \(searchTextLimit) characters. Shorten it.")
            }
            let search = text.isEmpty ? [] : [("search", try context.sealedTexts.seal(text, context.realm))]
            return context.consolePath(["accounts"], search)
        }
    }

    private static func listForm(_ selection: Selection, _ context: ScreenContext) -> Markup {
        let list = FormField(
            "list", "List", .choice(AccountList.allCases.map { .init($0.rawValue, $0.label) }),
            value: selection.list.rawValue)
        let tenant = context.realm.tenant.map { Markup.void(.input, [.type("hidden"), .name("tenant"), .value($0)]) }
        let path = ConsolePath.text(.init(project: context.realm.project, tenant: nil), ["accounts"])
        return Markup(
            .form, [.classes(["search"]), .role("search"), .label("Show"), .action(URLReference(path))],
            [tenant].compactMap(\.self)
                + [list.searchMarkup(in: "list"), Markup(.button, [.type("submit")], text: "Show")])
    }
}

/// The lists of accounts that the screen offers. An index serves each of them.
enum AccountList: String, CaseIterable {
    case newest, oldest, email, name, id, disabled, guest, relayStopped, likelyReal, unknownReal, unsupportedReal

    var label: String {
        switch self {
        case .newest: "All accounts, newest first"
        case .oldest: "All accounts, oldest first"
        case .email: "All accounts by email address"
        case .name: "All accounts by name"
        case .id: "All accounts by ID"
        case .disabled: "Disabled accounts"
        case .guest: "Guests"
        case .relayStopped: "Relay stopped: Apple no longer forwards email"
        case .likelyReal: "Apple: likely a real person"
        case .unknownReal: "Apple: not known whether a real person"
        case .unsupportedReal: "Apple: no estimate whether a real person"
        }
    }

    /// Parameters of the operation `searchAccounts`.
    var parameters: [APICall.Parameter] {
        let newestFirst: [APICall.Parameter] = [.init("sortBy", "CREATED_AT"), .init("order", "DESC")]
        return switch self {
        case .newest: newestFirst
        case .oldest: [.init("sortBy", "CREATED_AT")]
        case .email: [.init("sortBy", "USER_EMAIL")]
        case .name: [.init("sortBy", "NAME")]
        case .id: [.init("sortBy", "USER_ID")]
        case .disabled: [.init("filter", "DISABLED")] + newestFirst
        case .guest: [.init("filter", "GUEST")] + newestFirst
        case .relayStopped: [.init("filter", "RELAY_STOPPED")]
        case .likelyReal: [.init("realUserStatus", "LIKELY_REAL")]
        case .unknownReal: [.init("realUserStatus", "UNKNOWN")]
        case .unsupportedReal: [.init("realUserStatus", "UNSUPPORTED")]
        }
    }
}
