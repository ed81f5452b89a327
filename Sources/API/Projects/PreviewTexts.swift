internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// Renders an email or a page of the project with sample values, and with texts that need not be stored.
    static let previewTexts = batch(
        "previewTexts", "/v2/projects/{project}/texts:preview", needs: .readConfig
    ) { (call, administrator, input: PreviewTextsInput) in
        guard let subject = input.subject else { throw RequestRefusal.invalidField("/subject", "is required") }
        guard let language = Language(name: input.language ?? "en") else {
            throw RequestRefusal.invalidField("/language", "must be a language of pages and emails")
        }
        let configuration = try await call.configuration(for: administrator)
        var realm = administrator.realm
        if let texts = input.texts { realm.project.texts = try texts.customTexts() }
        let app = input.appId.nonEmpty.map { ID<App>($0) }
        guard app.map({ id in realm.project.apps.contains { $0.id == id } }) ?? true else {
            throw RequestRefusal.invalidField("/appId", "must be the ID of an app of the project")
        }
        let sample = TextPreview(
            realm: realm, projectName: configuration.name, language: language, app: app,
            style: realm.project.brand(of: app).color.map(call.services.projects.styles.style))
        guard let kind = subject.emailKind else {
            return try .json(PreviewTextsOutput(subject: nil, text: nil, html: sample.page(subject).html))
        }
        let email = call.services.projects.previewEmail(kind, language, realm, configuration.name, app)
        guard let email else { throw RequestRefusal.notFound }
        return try .json(PreviewTextsOutput(subject: email.subject, text: email.text, html: email.html))
    }
}

private struct PreviewTextsInput: Decodable {
    enum Subject: String, WireEnum {
        case verifyEmail, resetPassword, signInEmail, changeEmail
        case signInPage, signUpPage, resetPage

        /// `nil` for a page.
        var emailKind: OutgoingEmail.Kind? {
            switch self {
            case .verifyEmail: .verifyEmail
            case .resetPassword: .resetPassword
            case .signInEmail: .signIn
            case .changeEmail: .changeEmail
            case .signInPage, .signUpPage, .resetPage: nil
            }
        }
    }

    let subject: Subject?
    let language: String?
    let appId: String?
    /// Takes the place of the stored texts.
    let texts: [CustomTextConfig]?
}

private struct PreviewTextsOutput: Encodable {
    let subject: String?
    let text: String?
    let html: String
}

/// A page with sample values. Its forms and links lead nowhere.
private struct TextPreview {
    let realm: Realm
    let projectName: String
    let language: Language
    let app: ID<App>?
    let style: BrandStyle?

    func page(_ subject: PreviewTextsInput.Subject) -> Page {
        let context = Page.Context(
            language: language, projectName: projectName, brand: realm.project.brand(of: app),
            customTexts: realm.project.texts, style: style)
        let target = AuthorizationTarget.accountPage("https://app.example/")
        let step = SignInStep(flow: "sample", formToken: "sample")
        let shown = realm.project.apps.first { $0.id == app } ?? .accountPage
        let request = SignInPageRequest(app: shown.id, target: target, state: "sample", challenge: [])
        var screen = SignInOffer(of: shown, in: realm, for: request, usesAppleImage: false, sendsEmail: true).screen
        switch subject {
        case .resetPage: return .requestReset(email: "ada@example.com", step, context)
        case .signUpPage:
            screen.email = "ada@example.com"
            return .signUp(screen, PasswordRules(realm.policy), step, context)
        default: return .signIn(screen, step, context)
        }
    }
}
