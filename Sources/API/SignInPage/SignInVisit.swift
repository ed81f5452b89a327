internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// A request of a browser to the sign-in page, in one flow.
struct SignInVisit {
    let call: EndpointCall
    /// The project or the tenant.
    let realm: Realm
    let app: App
    let flow: SignInPageFlow
    /// When the visit ends, whatever the browser does. The flow is never sealed for longer.
    let end: Instant
    /// The sealed flow.
    let sealed: String
    let pageContext: Page.Context

    var request: SignInPageRequest { flow.request }
    var services: SignInPageServices { call.services.signInPage }
    /// The context of the request for the methods: with the app, and the language of the page for emails.
    var context: RequestContext { call.context(language: pageContext.language).of(app) }
    /// Whether the browser can have a session.
    var isOwnOrigin: Bool { call.pipeline.isOwnOrigin(call.request, in: realm) }

    /// What the page offers in this flow.
    var offer: SignInOffer {
        SignInOffer(
            of: app, in: realm, for: request, usesAppleImage: showsAppleImage,
            sendsEmail: services.emails.sendsEmail)
    }

    /// Returns the visit with a changed flow, which forms and links of its pages carry.
    func with(_ flow: SignInPageFlow) throws -> SignInVisit {
        let sealed = try services.sealedTokens.encode(flow.onPages, until: end, in: ID(realm.project.id))
        var pageContext = pageContext
        pageContext.repeatingQuery = pageContext.repeatingQuery?.map { name, value in
            (name, name == SignInField.flow.rawValue ? sealed : value)
        }
        return SignInVisit(
            call: call, realm: realm, app: app, flow: flow, end: end, sealed: sealed, pageContext: pageContext)
    }

    /// Returns the visit whose other screens begin with the address of a form.
    func beginning(with email: String?) throws -> SignInVisit {
        guard let email = email.nonEmpty.map({ String($0.prefix(320)) }), flow.email?.isExactly(email) != true else {
            return self
        }
        var flow = flow
        flow.email = email
        return try with(flow)
    }

    /// What every page of the flow has.
    ///
    /// - Parameter answer: the secret of a page that asks a question.
    func step(_ problem: SignInProblem? = nil, answer: Secret? = nil) -> SignInStep {
        var step = SignInStep(flow: sealed, formToken: services.forms.token(for: form), problem: problem)
        step.answer = answer
        step.asksForPasskeys = usesPasskeys && request.operation == .signIn
        return step
    }

    /// The forms of a flow share a token, because the flow itself says what they are about.
    var form: FormTokens.Form { FormTokens.Form(browser: flow.cookieHash, action: "signIn", subject: flow.id) }

    /// The app's URL with an error.
    func appReturn(error: SignInPageError) -> CheckedReturn {
        CheckedReturn(request.target, url: SignInResult(request, issuer: issuer).url(error: error))
    }

    var issuer: String { services.issuer(realm.project.id) }

    /// Returns a page of the flow.
    func response(_ page: Page, status: Int = 200, because refusal: (any Refusal)? = nil) -> PageResponse {
        PageResponse(
            page.sessionResponse(
                status: status, formTargets: request.isWebPage(of: app) ? [] : request.target.formTargets,
                imageSources: showsAppleImage ? [ProviderButton.appleImageOrigin] : []),
            of: realm.id, because: refusal)
    }

    /// The page loads Apple's image of the button only if the project's Apple is the real one.
    var showsAppleImage: Bool { !call.services.signIn.publicOrigin.acceptsHostHeader }

    /// The URL of the page in this flow. It is absolute, because providers return to another path.
    var pageURL: String { "\(pageBase)?flow=\(sealed)" }

    /// The URL of the page without its query.
    var pageBase: String {
        "\(call.pipeline.publicURL(of: call.request, in: realm))/\(realm.project.id)/__/auth/signIn"
    }
}

/// The errors with which the page returns to an app. The raw values are the wire's.
enum SignInPageError: String {
    case cancelled = "access_denied"
    case loginRequired = "login_required"
    case userMismatch = "user_mismatch"
    case alreadyLinked = "already_linked"
    case notAvailable = "not_available"
    case serverError = "server_error"
    case invalidRequest = "invalid_request"
}

/// The URL with which the page returns to an app (RFC 6749 §4.1.2, RFC 9207).
struct SignInResult {
    let target: AuthorizationTarget
    let state: String
    let issuer: String

    init(_ request: SignInPageRequest, issuer: String) {
        self.init(target: request.target, state: request.state, issuer: issuer)
    }

    init(target: AuthorizationTarget, state: String, issuer: String) {
        (self.target, self.state, self.issuer) = (target, state, issuer)
    }

    func url(code: String) -> String { url(.code, code) }
    func url(error: SignInPageError) -> String { url(.error, error.rawValue) }

    private func url(_ name: ResultParameter, _ value: String) -> String {
        target.adding([(name, value), (.state, state), (.issuer, issuer)].filter { !$0.1.isEmpty })
    }
}

extension SignInPageRequest {
    /// Whether the app is a web page, which opens without an action of the user. Any other target opens an app.
    func isWebPage(of app: App) -> Bool {
        target.isHTTP && (app.settings.platform == .web || app.settings.platform == .other)
    }
}
