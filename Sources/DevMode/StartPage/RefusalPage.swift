internal import Console
internal import Encoding
internal import HTTP
internal import Identity

/// The page for a request that no page of `dev` handles.
struct RefusalPage {
    private let screen: Screen

    /// For a path that does not exist.
    static let unknownPath = RefusalPage(
        screen: .notFound("There is no such page", "Requests of apps to unknown paths are in the list of requests."))

    /// For a form whose body is too large.
    static func tooLargeForm(_ request: Request) -> RefusalPage {
        RefusalPage(
            screen: RefusalScreens.tooLargeForm(
                request, advice: "The page Data has a command that imports a larger file."))
    }

    func response(to request: Request, default project: ID<Project>, _ clock: DevClock) -> Response {
        let realm = RealmName(
            project: request.query("project") ?? project.rawValue, tenant: request.query("tenant"))
        let frame = PageFrame(
            product: .init("Sekisho dev", "/"), links: StartPages.links(realm), switches: [],
            banners: StartPages.clockBanner(clock))
        return frame.response(screen, path: request.path)
    }
}
