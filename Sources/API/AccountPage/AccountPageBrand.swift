internal import Encoding
internal import HTTP
internal import Identity

extension EndpointCall {
    /// The app from which the user came to the account page, if the parameter `app` names one of the project.
    func appInQuery(in realm: Realm) -> ID<App>? { request.query("app").flatMap { realm.project.knownApp($0) } }

    /// The app whose brand the account page has: that of the parameter `app`, otherwise the one from which the user
    /// came before. The parameter decides nothing else.
    func appOfAccountPage(in realm: Realm) -> ID<App>? {
        appInQuery(in: realm)
            ?? PageCookie.accountApp(in: realm.project.id, origin: origin(in: realm)).value(in: request)
            .flatMap { realm.project.knownApp($0) }
    }
}

extension Project {
    fileprivate func knownApp(_ id: String) -> ID<App>? {
        apps.first { $0.id.rawValue.isExactly(id) }?.id
    }
}
