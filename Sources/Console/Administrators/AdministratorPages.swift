internal import Encoding
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
    private let list: PagedList<JSONValue>

    /// - Parameter all: in the order of their addresses.
    init(_ all: [JSONValue], _ context: ScreenContext) {
        token = context.request.query("search") ?? ""
        search = context.sealedTexts.open(token, context.realm) ?? ""
        let text = search.lowercased()
        let found = text.isEmpty ? all : all.filter { ($0["email"]?.text ?? "").lowercased().contains(text) }
        list = PagedList(found, size: Self.size, context)
    }

    /// The people on the page.
    var people: [JSONValue] { list.items }

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
        list.links(context.consolePath(["administrators"], search.isEmpty ? [] : [("search", token)]))
    }
}
