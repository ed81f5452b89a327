internal import Encoding
package import HTTP

/// What the screens of one request need besides their content.
package struct ScreenContext: Sendable {
    package let request: Request
    /// The path of the page with the parameters that name its subject, to which its forms are sent.
    package let path: String
    package let realm: RealmName
    /// The time, in milliseconds since 1970.
    package let now: Int64
    /// The URL of the gateway as the browser knows it, without a slash at the end.
    package let origin: String
    package let catalog: OperationCatalog
    package let forms: FormTokens
    package let sealedTexts: SealedTexts
    /// To what the tokens of forms are bound besides the page; empty if the pages have no session.
    package let browser: [UInt8]
    /// The bearer token in the command lines that the pages show.
    package let bearer: String
    /// Performs a request in the process.
    package let perform: @Sendable (APICall) async throws -> APIResult
    /// Explains an error code; `nil` for an unknown code.
    package let explanation: @Sendable (_ code: String) -> String?
    /// `nil` if every user of the pages may do everything, as in `dev`.
    package let permissions: Permissions?

    package init(
        request: Request, path: String, realm: RealmName, now: Int64, origin: String, catalog: OperationCatalog,
        forms: FormTokens, sealedTexts: SealedTexts, browser: [UInt8], bearer: String,
        perform: @escaping @Sendable (APICall) async throws -> APIResult,
        explanation: @escaping @Sendable (String) -> String?, permissions: Permissions? = nil
    ) {
        self.request = request
        self.path = path
        self.realm = realm
        self.now = now
        self.origin = origin
        self.catalog = catalog
        self.forms = forms
        self.sealedTexts = sealedTexts
        self.browser = browser
        self.bearer = bearer
        self.perform = perform
        self.explanation = explanation
        self.permissions = permissions
    }
}

extension ScreenContext {
    /// The parameters of the query that select what a page shows, to which its forms are sent too.
    package static func selection(in request: Request) -> [(String, String)] {
        ["id", "pageToken", "page", "search"].compactMap { name in request.query(.init(name)).map { (name, $0) } }
    }

    /// What the token of a form of the page is valid for.
    ///
    /// - Parameter id: the ID of the form.
    func form(_ id: String) -> FormTokens.Form {
        FormTokens.Form(browser: browser, action: "console/\(id)", subject: path)
    }

    /// What the proof of a notice is valid for.
    private func noticeForm(_ text: String) -> FormTokens.Form {
        FormTokens.Form(browser: browser, action: "notice", subject: text)
    }

    /// The path of a page that states what the accepted form has done. The query contains the text, because the page
    /// may not have the form any more. It also contains a proof, so that a link cannot show any text.
    func path(_ path: String, stating notice: String) -> String {
        let proof = forms.token(for: noticeForm(notice))
        return ConsolePath.withQuery(ConsolePath.withQuery(path, "done", notice), "proof", proof)
    }

    /// The notice in the query, if a form of this browser has led here.
    var provenNotice: String? {
        guard let text = request.query("done"), forms.isValid(request.query("proof"), for: noticeForm(text)) else {
            return nil
        }
        return text
    }

    /// The path of a page that shows the result of an accepted form that no later request returns, such as a link with
    /// a code. The query contains the result encrypted, with a proof that is bound to the session: a person can have
    /// any text encrypted, and must not show it to others as a result.
    func path(_ path: String, showing result: String) throws -> String {
        let sealed = try sealedTexts.seal(result, realm)
        let proof = forms.token(for: resultForm(sealed))
        return ConsolePath.withQuery(ConsolePath.withQuery(path, "result", sealed), "resultProof", proof)
    }

    /// The result in the query, if a form of this session has led here.
    var provenResult: String? {
        guard let sealed = request.query("result"),
            forms.isValid(request.query("resultProof"), for: resultForm(sealed))
        else { return nil }
        return sealedTexts.open(sealed, realm)
    }

    private func resultForm(_ sealed: String) -> FormTokens.Form {
        FormTokens.Form(browser: browser, action: "result", subject: sealed)
    }

    package func problem(_ result: APIResult) -> Problem {
        if let permissions, result.errorCode?.isExactly("PERMISSION_DENIED") == true {
            return Problem(
                code: result.errorCode, message: "Your role in this project (\(permissions.role)) does not allow this.",
                explanation: nil)
        }
        return Problem(
            code: result.errorCode, message: result.errorMessage,
            explanation: result.errorCode.flatMap(explanation).flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Whether the person may send the form.
    func permission(for form: Form) -> Permission {
        guard let permissions, case .request(let request) = form.action else { return .granted }
        // Without a valid value in each field, only the form itself knows the operation.
        guard let operation = form.operation ?? (try? request(FormInput(form.fields)))?.operation else {
            return .granted
        }
        return permissions.permission(operation, form.scopes)
    }

    /// The path of an account's page. The ID is in the query, because browsers remove the segments `.` and `..` of a
    /// path.
    package func accountPath(_ id: String) -> String { consolePath(["accounts", "account"], [("id", id)]) }

    /// The path of a page of the console for the realm, with the tenant in its query.
    package func consolePath(_ segments: [String], _ query: [(String, String)] = []) -> String {
        ConsolePath.text(realm, segments, query)
    }
}
