internal import Encoding
internal import HTTP
internal import Identity

/// A cookie of the gateway's own pages.
struct PageCookie {
    let name: String
    let isSecure: Bool

    /// - Parameters:
    ///   - name: without prefix.
    ///   - origin: the origin of the page. With https, the prefix `__Host-` keeps other hosts of the domain from
    ///     setting the cookie (RFC 6265bis §4.1.3.2).
    private init(_ name: String, origin: String) {
        isSecure = origin.beginsExactly(with: "https://")
        self.name = (isSecure ? "__Host-" : "") + name
    }

    /// The session of the browser in a project.
    static func session(in project: ID<Project>, origin: String) -> PageCookie {
        PageCookie("sekisho-browser-\(project)", origin: origin)
    }

    /// Binds the flows of the sign-in page to the browser.
    static func flow(origin: String) -> PageCookie { PageCookie("sekisho-sign-in", origin: origin) }

    /// The language that the user chose for pages.
    static func language(origin: String) -> PageCookie { PageCookie("sekisho-language", origin: origin) }

    /// The app from which the user came to the account page of a project.
    static func accountApp(in project: ID<Project>, origin: String) -> PageCookie {
        PageCookie("sekisho-app-\(project)", origin: origin)
    }

    /// The browser can answer the question of a ``HeldSignIn``.
    static func answer(in project: ID<Project>, origin: String) -> PageCookie {
        PageCookie("sekisho-answer-\(project)", origin: origin)
    }

    /// The user does not want to create a passkey now.
    static func withoutPasskey(in project: ID<Project>, origin: String) -> PageCookie {
        PageCookie("sekisho-no-passkey-\(project)", origin: origin)
    }

    /// The accounts that the browser remembers in a project.
    static func rememberedAccounts(in project: ID<Project>, origin: String) -> PageCookie {
        PageCookie("sekisho-accounts-\(project)", origin: origin)
    }

    func value(in request: Request) -> String? { request.cookie(ByteText(name)) }

    /// - Parameter maxAge: `nil` for a cookie that the browser forgets when it is closed.
    func header(_ value: String, maxAge: Duration?) -> String {
        let age = maxAge.map { "; Max-Age=\($0.components.seconds)" } ?? ""
        return "\(name)=\(value); Path=/\(age); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    var removal: String { header("", maxAge: .zero) }

    /// Removes the cookie from the browser that sent `request`, if it has it.
    func remove(from request: Request, in response: inout Response) {
        if value(in: request) != nil { response.headers.add("Set-Cookie", removal) }
    }
}

extension RequestPipeline {
    /// Whether browsers load the page from the gateway's own origin, and not through the web server of an app. The
    /// scripts of an app share the origin of pages on the app's host, so there is no session there.
    func isOwnOrigin(_ request: Request, in realm: Realm) -> Bool {
        let origin = services.signIn.publicOrigin
        guard !origin.acceptsHostHeader else { return request.headers["X-Forwarded-Host"] == nil }
        return publicURL(of: request, in: realm).isExactly(origin.configured())
    }
}

extension EndpointCall {
    /// The origin of a page, without a slash at the end.
    func origin(in realm: Realm) -> String {
        let url = pipeline.publicURL(of: request, in: realm)
        return url.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
    }

    /// The cookie with which the browser proves its session; `nil` without a valid cookie.
    func browserSessionValue(in realm: Realm) -> BrowserSessionValue? {
        guard pipeline.isOwnOrigin(request, in: realm) else { return nil }
        return PageCookie.session(in: realm.project.id, origin: origin(in: realm)).value(in: request)
            .flatMap(BrowserSessionValue.init)
    }

    /// The session of the browser in the project or the tenant; `nil` if it has none, and on an origin that is not the
    /// gateway's own.
    func browserSession(in realm: Realm) async throws -> BrowserSession? {
        guard let value = browserSessionValue(in: realm) else { return nil }
        return try await services.signInPage.sessions.find(value, in: realm)
    }

    /// The session of the browser, in the project or in whichever tenant of it the cookie names.
    func browserSession(inTenantsOf project: Realm) async throws -> (session: BrowserSession, realm: Realm)? {
        guard let value = browserSessionValue(in: project) else { return nil }
        var realm = project
        if let tenant = value.tenant {
            let found = try await services.projects.tenancy.realmOfExistingTenant(tenant, project)
            guard let found else { return nil }
            realm = found
        }
        return try await services.signInPage.sessions.find(value, in: realm).map { ($0, realm) }
    }
}
