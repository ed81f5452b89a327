internal import Encoding
internal import HTTP
internal import Identity

/// The requested page of a list. A page token is the last ID of the previous page.
struct ListPage {
    let limit: Int
    /// The page token; `nil` for the first page.
    let lastIDOfPreviousPage: String?

    /// - Throws: ``RequestRefusal`` for an invalid `pageSize`, or a token that cannot be an ID.
    init(_ request: Request, maximum: Int = 100) throws(RequestRefusal) {
        limit = try Self.parseLimit("pageSize", request.query("pageSize"), maximum: maximum)
        lastIDOfPreviousPage = request.query("pageToken").nonEmpty
        guard lastIDOfPreviousPage?.isVisibleASCII(1...128) != false else { throw .rejected(.invalidPageSelection) }
    }

    /// Parses the number of items that a request asks for. Replaces a larger number than `maximum` by `maximum`.
    /// Replaces 0 and an absent number by `default`.
    ///
    /// - Parameter member: the name of the parameter of the query.
    static func parseLimit(
        _ member: String, _ text: String?, default: Int = 20, maximum: Int
    ) throws(RequestRefusal) -> Int {
        guard let number = Int(text.nonEmpty ?? "0"), number >= 0 else {
            throw .invalidField("/\(member)", "must be a non-negative integer")
        }
        return number == 0 ? `default` : min(number, maximum)
    }

    /// Selects the items of this page, in the order of their IDs.
    ///
    /// - Returns: the items, and the token of the next page if there is one.
    func select<Item>(from items: [Item], orderedBy id: (Item) -> String) -> (items: [Item], next: String?) {
        let sorted = items.sorted { id($0) < id($1) }
        let remaining = lastIDOfPreviousPage.map { last in sorted.filter { id($0) > last } } ?? sorted
        let page = Array(remaining.prefix(limit))
        return (page, remaining.count > page.count ? page.last.map(id) : nil)
    }
}

extension TimePosition {
    /// - Throws: ``RequestRefusal`` unless `pageToken` is the ``text`` of a position.
    init(pageToken: String) throws(RequestRefusal) {
        guard let position = TimePosition(parsing: pageToken) else { throw .rejected(.invalidPageSelection) }
        self = position
    }
}
