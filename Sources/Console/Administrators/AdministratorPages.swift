internal import Encoding
internal import HTML
internal import HTTP
internal import JSON

/// One page of the people with a role in a project, and the links to the other pages.
struct AdministratorPages {
    /// The maximum number of people on a page, so that the page stays below 40 KiB.
    private static let size = 12

    /// A part of an address; empty for all people.
    let search: String
    /// ``search``, encrypted: browsers keep URLs, and proxies log them.
    private let token: String
    /// The people on the page.
    let people: [JSONValue]
    private let page: Int
    private let count: Int

    /// - Parameter all: in the order of their addresses.
    init(_ all: [JSONValue], _ context: ScreenContext) {
        token = context.request.query("search") ?? ""
        search = context.sealedTexts.open(token, context.realm) ?? ""
        let text = search.lowercased()
        let found = text.isEmpty ? all : all.filter { ($0["email"]?.text ?? "").lowercased().contains(text) }
        count = max(1, (found.count + Self.size - 1) / Self.size)
        page = min(max(1, Int(context.request.query("page") ?? "") ?? 1), count)
        people = Array(found.dropFirst((page - 1) * Self.size).prefix(Self.size))
    }

    func searchForm(_ context: ScreenContext) -> Form {
        Form(search: "search", button: "Search", [FormField("text", "Part of an email address", value: search)]) {
            input in
            let text = input["text"].trimmed
            guard text.utf8.count <= 256 else { throw Form.InvalidField("text", "The text is too long. Shorten it.") }
            let search = text.isEmpty ? [] : [("search", try context.sealedTexts.seal(text, context.realm))]
            return context.consolePath(["administrators"], search)
        }
    }

    func links(_ context: ScreenContext) -> [ScreenBlock] {
        guard count > 1 else { return [] }
        let link = { (page: Int, text: String) -> [Markup] in
            let query = (search.isEmpty ? [] : [("search", token)]) + [("page", "\(page)")]
            return [.link(context.consolePath(["administrators"], query), .text(text)), .text(" ")]
        }
        let previous = page > 1 ? link(page - 1, "Previous page") : []
        let next = page < count ? link(page + 1, "Next page") : []
        return [
            .markup(
                Markup(.p, [.classes(["links"])], previous + [.text("Page \(page) of \(count) ")] + next))
        ]
    }
}
