internal import Console
internal import HTTP
internal import Identity

/// The page for a path that does not exist.
enum UnknownPathPage {
    static func response(to request: Request, default project: ID<Project>, _ clock: DevClock) -> Response {
        let realm = RealmName(project: project.rawValue, tenant: nil)
        let frame = PageFrame(
            product: .init("Sekisho dev", "/"), links: StartPages.links(realm), switches: [],
            banners: StartPages.clockBanner(clock))
        let screen = Screen.notFound(
            "There is no such page", "Requests of apps to unknown paths are in the list of requests.")
        return frame.response(screen, path: request.path)
    }
}
