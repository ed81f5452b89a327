internal import Encoding
internal import HTML
internal import HTTP

/// One page of a list that a screen has as a whole, and the links to the other pages. Longer lists would make the
/// screen larger than 40 KiB.
struct PagedList<Item: Sendable>: Sendable {
    /// The items of the page.
    let items: [Item]
    private let page: Int
    private let count: Int

    /// - Parameter size: the maximum number of items on a page.
    init(_ all: [Item], size: Int, _ context: ScreenContext) {
        count = max(1, (all.count + size - 1) / size)
        page = min(max(1, Int(context.request.query("page") ?? "") ?? 1), count)
        items = Array(all.dropFirst((page - 1) * size).prefix(size))
    }

    /// The links to the previous and the next page; nothing for a list of one page.
    ///
    /// - Parameter path: of the screen, without the number of the page.
    func links(_ path: String) -> [ScreenBlock] {
        guard count > 1 else { return [] }
        let link = { (page: Int, text: String) -> [Markup] in
            [.link(ConsolePath.withQuery(path, "page", "\(page)"), .text(text)), .text(" ")]
        }
        let previous = page > 1 ? link(page - 1, "Previous page") : []
        let next = page < count ? link(page + 1, "Next page") : []
        return [
            .markup(
                Markup(.p, [.classes(["links"])], previous + [.text("Page \(page) of \(count) ")] + next))
        ]
    }
}
