internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// The page that a link in an email opens. Loading the page does not redeem the code in the link, because email
    /// scanners follow links too.
    static let getActionPage = page("getActionPage", .get, "/__/auth/action") { call in
        guard call.request.repeatedParameter == nil else { return .malformed(call) }
        let query = { call.request.query($0) }
        let pageRequest = ActionPageRequest(
            call: call, code: query("oobCode") ?? "", continueURL: query("continueUrl"), language: query("lang"),
            apiKey: query("apiKey"), signInPage: query("signInPage"))
        return try await pageRequest.pageResponse { PageResponse(pageRequest.page(of: $0), of: $0.realm.id) }
    }

    /// Redeems the code that the form on the page of ``getActionPage`` submits. For a sign-in code, returns the same
    /// page again, because only the app can redeem such a code.
    static let postActionPage = page(
        "postActionPage", .post, "/__/auth/action", bodyLimit: smallBodyLimit
    ) { call in
        guard let fields = FormFields(call.request) else { return .malformed(call) }
        let pageRequest = ActionPageRequest(
            call: call, code: fields[.code] ?? "", continueURL: fields[.continueURL], language: fields[.language],
            apiKey: fields[.apiKey], signInPage: fields[.signInPage])
        return try await pageRequest.pageResponse { checked in
            try await pageRequest.redeem(checked, fields)
        }
    }
}

extension PageResponse {
    /// The page about a request whose query or form is malformed.
    fileprivate static func malformed(_ call: EndpointCall) -> PageResponse {
        let pageContext = call.pageContext(in: nil, projectName: nil)
        return PageResponse(Page.failure(.malformed, pageContext).response(status: 400))
    }
}

/// A request that opens or submits the action page. The link's mode is ignored; the stored code determines the action.
struct ActionPageRequest {
    let call: EndpointCall
    let code: String
    let continueURL: String?
    let language: String?
    /// The API key of the app that requested the email, or the ID of the project; see ``ActionLink``. `nil` if it is
    /// longer than an API key.
    let apiKey: String?
    /// The sealed visit of the sign-in page in which the email was requested.
    let signInPage: String?

    init(
        call: EndpointCall, code: String, continueURL: String?, language: String?, apiKey: String?,
        signInPage: String? = nil
    ) {
        self.call = call
        self.code = code
        self.continueURL = continueURL
        self.language = language
        self.apiKey = apiKey.flatMap { (1...128).contains($0.utf8.count) ? $0 : nil }
        self.signInPage = signInPage
    }

    var emailActions: EmailActionService { call.services.emailActions.pageService }

    /// Checks the code, and returns the page from `respond`. If the code is refused, returns a page with the reason.
    func pageResponse(_ respond: (CheckedCode) async throws -> PageResponse) async throws -> PageResponse {
        var checked: CheckedCode?
        do {
            let found = try await emailActions.check(code)
            checked = found
            return try await respond(found)
        } catch let refusal as OOBCodeRefusal {
            let project: (Realm, name: String)? =
                if let checked { (checked.realm, name: checked.projectName) } else { try await projectOfRefusedCode() }
            let realm = project?.0
            let page = Page.codeFailure(
                refusal, continuing: realm.flatMap { checkedContinueURL(in: $0) },
                or: realm.flatMap { signInPageReturn(in: $0) }, pageContext(in: realm, projectName: project?.name))
            return PageResponse(page, of: realm?.id, because: refusal)
        }
    }

    /// Returns the page on which the user confirms the action of a code.
    ///
    /// - Parameters:
    ///   - unmet: the requirements that the submitted password does not meet.
    ///   - remedy: the action that was just completed: the recovery of an address, the removal of a sign-in method, or
    ///     the undoing of a merge.
    func page(
        of checked: CheckedCode, unmet: [PasswordRequirement] = [], after remedy: Page.Remedy? = nil
    ) -> Page {
        let code = checked.code
        let pageContext = pageContext(of: checked)
        let form = CodeForm(
            code: self.code, continueURL: checkedContinueURL(in: checked.realm), apiKey: apiKey,
            signInPage: signInPageReturn(in: checked.realm))
        return switch code.purpose {
        case .verifyEmail:
            .verifyEmail(
                code.email, of: checked.account, methods: checked.methods, removable: checked.removableMethods,
                checked.newAccountChoice, form, pageContext)
        case .resetPassword:
            .resetPassword(
                of: code.email, PasswordRules(checked.realm.policy), missing: unmet,
                removable: checked.removableMethods, removed: checked.removedMethods, checked.newAccountChoice,
                after: remedy, form, pageContext)
        case .signIn: .signIn(code.email, appLink(of: checked), pageContext)
        case .changeEmail:
            .changeEmail(
                from: code.replacedEmail, to: code.newEmail ?? code.email, methods: checked.methods,
                removable: checked.removableMethods, checked.newAccountChoice, form, pageContext)
        case .recoverEmail:
            .recoverEmail(
                to: code.email, from: code.newEmail, removable: checked.removableMethods, form, pageContext)
        case .removeSignInMethod: removalPage(of: checked, form, pageContext)
        case .revertFactorAddition:
            .removeSecondFactor(
                addedAt: code.method?.addedAt ?? code.createdAt, isPhone: code.method?.provider == .phone,
                of: code.email,
                setsPassword: checked.realm.policy.allowsPasswords, form, pageContext)
        case .undoMerge:
            .undoMerge(of: code.email, setsPassword: checked.realm.policy.allowsPasswords, form, pageContext)
        }
    }

    /// Redeems the code, and returns the next page.
    func redeem(_ checked: CheckedCode, _ fields: FormFields) async throws -> PageResponse {
        let context = call.context(language: pageContext(of: checked).language)
        switch checked.code.purpose {
        case .signIn: return PageResponse(page(of: checked), of: checked.realm.id)
        case .resetPassword:
            let password = Secret(fields[.newPassword] ?? "")
            do {
                try await emailActions.resetPassword(
                    code, to: password, removing: fields.methodSelection,
                    choosesNewAccount: fields[.newAccount] != nil, from: context)
            } catch let refusal as CredentialRefusal {
                let unmet = refusal.unmetRequirements(of: checked.realm.policy)
                return PageResponse(page(of: checked, unmet: unmet), of: checked.realm.id, because: refusal)
            }
        case .verifyEmail where fields[.step] == CodeForm.AlternativeAction.disavow.rawValue:
            try await emailActions.disavow(code, from: context)
            return PageResponse(.emailDisavowed(pageContext(of: checked)), of: checked.realm.id)
        case .verifyEmail, .changeEmail:
            if fields[.step] == CodeForm.AlternativeAction.createAccount.rawValue {
                let result = try await emailActions.createAccount(code, from: context)
                return try await pageResponse(
                    after: result, .accountCreated(checked.code.newEmail ?? checked.code.email), of: checked)
            }
            let result = try await emailActions.confirm(code, removing: fields.methodSelection, from: context)
            if result.resetCode != nil { return try await pageResponse(after: result, of: checked) }
        case .recoverEmail:
            let result = try await emailActions.recover(code, removing: fields.methodSelection, from: context)
            return try await pageResponse(after: result, of: checked)
        case .removeSignInMethod, .revertFactorAddition:
            return try await pageResponse(
                after: try await emailActions.removeSignInMethod(code, from: context), of: checked)
        case .undoMerge:
            return try await pageResponse(after: try await emailActions.undoMerge(code, from: context), of: checked)
        }
        let removed = fields[.newAccount] == nil ? checked.removedMethods : []
        return PageResponse(finalPage(checked, removed: removed), of: checked.realm.id)
    }

    /// The page after an address was verified or changed, or a password was reset.
    ///
    /// - Parameter removed: the sign-in methods that the reset has removed.
    private func finalPage(_ checked: CheckedCode, removed: [SignInMethodName] = []) -> Page {
        let code = checked.code
        let realm = checked.realm
        let pageContext = pageContext(of: checked)
        let continueURL = checkedContinueURL(in: realm)
        return switch code.purpose {
        case .verifyEmail: .emailVerified(code.email, continuing: continueURL, pageContext)
        case .resetPassword:
            .passwordReset(
                of: code.email, removed: removed, continuing: continueURL, or: signInPageReturn(in: realm), pageContext)
        case .changeEmail:
            .emailChanged(
                to: code.newEmail ?? code.email, continuing: continueURL,
                orTo: realm.tenant == nil ? call.accountURL(.overview, in: realm) : nil, pageContext)
        // Not reached: ``redeem(_:_:)`` returns other pages for these purposes.
        case .signIn, .recoverEmail, .removeSignInMethod, .revertFactorAddition, .undoMerge: page(of: checked)
        }
    }

    private func removalPage(of checked: CheckedCode, _ form: CodeForm, _ pageContext: Page.Context) -> Page {
        guard let method = checked.code.method else { return .failure(.code(.invalid), pageContext) }
        let linked = method.subject.flatMap { checked.account?.identity(method.provider, subject: $0) }
        return .removeSignInMethod(
            method, named: SignInMethodName(method.provider, in: checked.realm), userAgent: linked?.linkedDevice,
            of: checked.code.email, setsPassword: checked.realm.policy.allowsPasswords, form, pageContext)
    }

    /// The page after a remedy (see ``page(of:unmet:after:)``): the form for a new password if the result contains a
    /// reset code, otherwise a confirmation.
    ///
    /// - Parameter remedy: `nil` for the action that the code is for.
    private func pageResponse(
        after result: RemedyResult, _ remedy: Page.Remedy? = nil, of checked: CheckedCode
    ) async throws -> PageResponse {
        let remedy = remedy ?? self.remedy(checked)
        guard let reset = result.resetCode else {
            return PageResponse(confirmation(result.account, remedy, checked), of: checked.realm.id)
        }
        let next = ActionPageRequest(
            call: call, code: reset.secret, continueURL: continueURL, language: language, apiKey: apiKey)
        let page = next.page(of: try await emailActions.check(reset.secret), after: remedy)
        return PageResponse(page, of: checked.realm.id)
    }

    private func remedy(_ checked: CheckedCode) -> Page.Remedy {
        let code = checked.code
        switch code.purpose {
        case .undoMerge: return .undone
        case .verifyEmail, .changeEmail: return .confirmed(code.newEmail ?? code.email)
        case .resetPassword, .signIn, .recoverEmail, .removeSignInMethod, .revertFactorAddition:
            guard let method = code.method else { return .recovered(code.email) }
            return .removed(SignInMethodName(method.provider, in: checked.realm))
        }
    }

    /// The page after a remedy if the account cannot have a password.
    private func confirmation(_ account: Account, _ remedy: Page.Remedy, _ checked: CheckedCode) -> Page {
        let pageContext = pageContext(of: checked)
        let continueURL = checkedContinueURL(in: checked.realm)
        switch remedy {
        case .accountCreated(let email): return .emailVerified(email, continuing: continueURL, pageContext)
        case .undone: return .mergeUndone(account.email, continuing: continueURL, pageContext)
        case .confirmed: return finalPage(checked)
        case .recovered(let email): return .emailRecovered(to: email, continuing: continueURL, pageContext)
        case .removed(let name):
            return .signInMethodRemoved(name, takenEmail: account.email == nil ? checked.code.email : nil, pageContext)
        }
    }
}
