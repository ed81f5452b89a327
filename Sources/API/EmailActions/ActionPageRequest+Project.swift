internal import HTTP
internal import Identity
internal import Pages

/// What the action page has of the project: its brand, and the ways back to the app.
extension ActionPageRequest {
    func pageContext(of checked: CheckedCode) -> Page.Context {
        pageContext(in: checked.realm, projectName: checked.projectName)
    }

    /// - Parameter realm: `nil` if the code does not lead to a project.
    func pageContext(in realm: Realm?, projectName: String?) -> Page.Context {
        var pageContext = call.pageContext(languageTag: language, in: realm, projectName: projectName)
        guard let realm else { return pageContext }
        let accepted = [
            ("continueUrl", checkedContinueURL(in: realm)?.text),
            ("signInPage", signInPageReturn(in: realm) == nil ? nil : signInPage),
        ]
        pageContext.repeatingQuery?.append(contentsOf: accepted.compactMap { name, value in value.map { (name, $0) } })
        return pageContext
    }

    /// The project of a code that is stored but not valid, or the one that the link names: a used code is not stored.
    /// The link proves nothing, but nothing about the project is secret, and the page leads only to the project's own
    /// apps.
    func projectOfRefusedCode() async throws -> (Realm, name: String)? {
        if let found = try await emailActions.realm(ofStored: code) { return found }
        guard let apiKey else { return nil }
        if let named = try await emailActions.realm(ofProject: ID(apiKey)) { return named }
        do {
            let realm = try await call.pipeline.callingApp(apiKey: apiKey).realm
            return (realm, name: try await emailActions.name(of: realm.project.id))
        } catch is any Refusal {
            return nil
        }
    }

    /// The continue URL if its domain is authorized. The gateway checked the URL when the email was requested, but an
    /// attacker can rewrite a link.
    func checkedContinueURL(in realm: Realm) -> ContinueURL? {
        // An unauthorized URL is omitted from the page, so the reason does not matter.
        continueURL.flatMap { try? ContinueURL($0, in: realm) }
    }

    /// The visit of the sign-in page; `nil` if the gateway did not seal it, it has expired, or this browser has no
    /// visit: no other browser can continue it.
    func signInPageReturn(in realm: Realm) -> SignInPageReturn? {
        guard let signInPage,
            let link = call.services.signInPage.link(signInPage, in: realm.project.id),
            link.tenant == realm.tenant?.id,
            PageCookie.flow(origin: call.origin(in: realm)).value(in: call.request) != nil
        else { return nil }
        return SignInPageReturn(opened: signInPage, in: realm.project.id)
    }

    /// The link that opens the app, which redeems the sign-in code; `nil` without a valid continue URL.
    func appLink(of checked: CheckedCode) -> ActionLink? {
        checkedContinueURL(in: checked.realm).map {
            ActionLink(
                .signIn, code: code, in: checked.realm.id, at: $0.text, apiKey: apiKey,
                language: pageContext(of: checked).language)
        }
    }
}

extension CredentialRefusal {
    /// The requirements that the submitted password does not meet.
    func unmetRequirements(of policy: Policy) -> [PasswordRequirement] {
        switch self {
        case .weakPassword(let minimumLength): [.minimumLength(minimumLength)]
        case .passwordLacks(let requirements): requirements
        case .missingPassword, .missingEmail, .invalidEmail:
            [.minimumLength(policy.passwordPolicy.effective.minimumLength)]
        }
    }
}
