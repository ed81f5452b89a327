internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the sign-in methods that an app may show, with Apple first and as prominent as the others (App Review
    /// guideline 4.8).
    static let getLoginMethods = client("getLoginMethods", .get, "/v1/loginMethods") { call, client in
        let named = call.request.query("appId").nonEmpty.map { ID<App>($0) }
        let app =
            if let named, named != client.app.id {
                try await call.services.projects.app(named, client.project.id)
            } else {
                client.app
            }
        guard let app else { throw RequestRefusal.notFound }
        return try .json(LoginMethods(of: app, in: client.project))
    }
}

private struct LoginMethods: Encodable {
    let appId: String
    let methods: [LoginMethod]
    let anonymous: Bool
    let compliant: Bool
    let violations: [String]

    init(of app: App, in project: Project) {
        let services = LoginServices(of: app, in: project)
        let report = LoginServicesReport(services)
        appId = app.id.rawValue
        methods = services.offered.filter { $0 != .anonymous }.map { LoginMethod($0, in: project) }
        anonymous = services.offered.contains(.anonymous)
        compliant = report.compliant
        violations = report.violations
    }
}

private struct LoginMethod: Encodable {
    enum Kind: String, Encodable {
        case apple, social, password
    }

    let providerId: String
    let kind: Kind
    let displayName: String?
    /// All methods are equally prominent.
    let prominence = "equal"
    let visible = true
    let buttons: AppleButtons?

    init(_ provider: ProviderID, in project: Project) {
        providerId = provider.rawValue
        kind = provider == .apple ? .apple : provider.isSocial ? .social : .password
        displayName = project.settings(of: provider)?.openID?.displayName
        buttons = provider == .apple ? AppleButtons() : nil
    }
}

/// The requirements of the Human Interface Guidelines for a Sign in with Apple button. Lengths are in points.
private struct AppleButtons: Encodable {
    struct Native: Encodable {
        let titles = ["Sign in with Apple", "Sign up with Apple", "Continue with Apple"]
        let styles = ["black", "white", "whiteOutline"]
        let minimumWidth = 140
        let minimumHeight = 30
        let recommendedHeight = 44
        /// Of the height, on every side.
        let minimumMargin = 0.1
        /// Of the height.
        let titleSize = 0.43
    }

    /// Apple draws the image: https://appleid.cdn-apple.com.
    struct Web: Encodable {
        let imageUrl = "https://appleid.cdn-apple.com/appleid/button"
        let parameters = Parameters()
    }

    /// Parameters of the image's URL. Apple answers any other with 404.
    struct Parameters: Encodable {
        let type = ["sign-in", "continue"]
        let color = ["black", "white"]
        let border = [false, true]
        let width = Range(minimum: 130, maximum: 375, initial: 140)
        let height = Range(minimum: 30, maximum: 64, initial: 30)
        let borderRadius = Range(minimum: 0, maximum: 50, initial: 15)
        let scale = Range(minimum: 1, maximum: 6, initial: 1)

        enum CodingKeys: String, CodingKey {
            case type, color, border, width, height, scale
            case borderRadius = "border_radius"
        }
    }

    struct Range: Encodable {
        let minimum: Int
        let maximum: Int
        /// Apple's defaults for parameters that the URL lacks.
        let initial: Int
    }

    let native = Native()
    let web = Web()
}
