internal import HTTP
internal import Identity

/// The requested page of a list. A page token is the last ID of the previous page.
struct ListPage {
    let limit: Int
    /// The page token; `nil` for the first page.
    let last: String?

    /// - Throws: ``RequestRefusal`` for an invalid `pageSize`, or a token that cannot be an ID.
    init(_ request: Request, maximum: Int = 100) throws(RequestRefusal) {
        limit = try Self.parseLimit("pageSize", request.query("pageSize"), maximum: maximum)
        last = request.query("pageToken").nonEmpty
        guard last?.isVisibleASCII(1...128) != false else { throw .rejected(.invalidPageSelection) }
    }

    /// Parses the number of items that a request asks for. A larger number than `maximum` stands for `maximum`, and 0
    /// or no number for `default`.
    ///
    /// - Parameter member: the name of the parameter.
    static func parseLimit(
        _ member: String, _ text: String?, default: Int = 20, maximum: Int
    ) throws(RequestRefusal) -> Int {
        guard let number = Int(text.nonEmpty ?? "0"), number >= 0 else {
            throw .invalidField("/\(member)", "must be a non-negative integer")
        }
        return number == 0 ? `default` : min(number, maximum)
    }

    /// - Returns: the items of this page in the order of their IDs, and the token of the next page if there is one.
    func part<Item>(of items: [Item], by id: (Item) -> String) -> (items: [Item], next: String?) {
        let sorted = items.sorted { id($0) < id($1) }
        let remaining = last.map { last in sorted.filter { id($0) > last } } ?? sorted
        let page = Array(remaining.prefix(limit))
        return (page, remaining.count > page.count ? page.last.map(id) : nil)
    }
}
