internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// A request of a signed-in user for a part of the account page.
struct AccountPageRequest {
    let call: EndpointCall
    let path: AccountPath
    let realm: Realm
    let session: BrowserSession
    /// `nil` for a GET, and for a body that is not a form.
    let fields: FormFields?
    let context: Page.Context
    /// The time zone of the account.
    let zone: TimeZoneOffsets

    var caller: Caller { session.caller }
    var account: Account { session.caller.account }
    var services: Services { call.services }
    var requestContext: RequestContext { call.context(language: context.language) }

    func field(_ field: AccountField) -> String? { fields?.value(ByteText(field.rawValue)) }

    /// The sign-in method that the form, or the query of the page, names.
    var reference: AccountMethod.Reference? {
        (field(.method) ?? call.request.query("method")).nonEmpty.map(AccountMethod.Reference.init)
    }

    /// The form of the page. The token of a form about one method is valid for this method only.
    private var form: FormTokens.Form {
        FormTokens.Form(
            browser: session.secretHash, action: "account/\(path.rawValue)", subject: reference?.text ?? "")
    }

    /// Whether a page of the gateway sent the form for this session.
    var isFormAccepted: Bool {
        services.signInPage.forms.accepts(
            call.request, token: fields?.value(FormTokens.field), for: form, origin: call.origin(in: realm))
    }

    /// - Parameter showsNotice: whether the page states what the previous form has done.
    func frame(showsNotice: Bool = true) -> AccountFrame {
        let notice = showsNotice ? provenNotice : nil
        return AccountFrame(
            context, path, formToken: services.signInPage.forms.token(for: form),
            now: services.signInPage.clock.now(), zone: zone, notice: notice,
            acceptedPasskeys: notice == nil ? nil : acceptedPasskeys)
    }

    /// - Parameter userHandle: that of a removed passkey, in base64url; `nil` for other notices.
    private func noticeForm(_ notice: AccountNotice, _ userHandle: String?, _ browser: [UInt8]) -> FormTokens.Form {
        FormTokens.Form(
            browser: browser, action: "notice",
            subject: ([notice.rawValue] + [userHandle].compactMap(\.self)).joined(separator: "."))
    }

    /// The notice in the query, if a form of this session has led here. Otherwise a link could show any notice.
    private var provenNotice: AccountNotice? {
        guard let notice = call.request.query("done").flatMap(AccountNotice.init(rawValue:)),
            services.signInPage.forms.isValid(
                call.request.query("proof"),
                for: noticeForm(notice, call.request.query("userHandle"), session.secretHash))
        else { return nil }
        return notice
    }

    func response(_ page: Page) -> PageResponse { PageResponse(page.sessionResponse(), of: realm.id) }

    /// A page about a form that changed nothing.
    func response(_ page: Page, status: Int = 400, because refusal: any Refusal) -> PageResponse {
        PageResponse(page.sessionResponse(status: status), of: realm.id, because: refusal)
    }

    /// Leads to the page that states what the form has done.
    ///
    /// - Parameters:
    ///   - signedIn: the session that replaces the browser's; `nil` if the browser keeps its session.
    ///   - userHandle: that of a removed passkey, in base64url, so that the page tells the browser which passkeys are
    ///     left.
    ///   - newLanguage: the language that the user has chosen for all pages; `nil` if the form chose none.
    func done(
        _ notice: AccountNotice, at next: AccountPath, replacingSessionBy signedIn: SignedIn? = nil,
        removingPasskeyOf userHandle: String? = nil, showing newLanguage: Language? = nil
    ) async throws -> PageResponse {
        let renewed = try await replaceSession(by: signedIn)
        let browser = renewed?.secretHash ?? session.secretHash
        let proof = services.signInPage.forms.token(for: noticeForm(notice, userHandle, browser))
        let language = newLanguage.map { ("hl", $0.rawValue) } ?? ("lang", context.language.rawValue)
        let handle = userHandle.map { [("userHandle", $0)] } ?? []
        let query = PercentEncoding.encode(form: [("done", notice.rawValue), ("proof", proof)] + handle + [language])
        var response = Response.redirect(to: path.relativePath(to: next) + "?" + query)
        if let renewed { response.headers.add("Set-Cookie", renewed.cookie) }
        return PageResponse(response, of: realm.id)
    }

    /// Replaces the session of the browser, and returns the hash of its secret and the header of its cookie.
    func replaceSession(by signedIn: SignedIn?) async throws -> (secretHash: [UInt8], cookie: String)? {
        guard let signedIn else { return nil }
        let value = try await services.signInPage.sessions.renew(session, as: signedIn, in: realm)
        let maxAge = session.staysSignedIn ? BrowserSessionLifetime.stay.absolute : nil
        return (
            services.signInPage.secrets.hash(value.secret.expose()), cookie.header(value.text, maxAge: maxAge)
        )
    }

    /// The cookie with which the browser proves its session.
    var cookie: PageCookie { .session(in: realm.project.id, origin: call.origin(in: realm)) }

    /// Runs `respond`. If it refuses, responds with a page that says why nothing was changed.
    func explainingRefusals(_ respond: () async throws -> PageResponse) async throws -> PageResponse {
        do {
            return try await respond()
        } catch EditRefusal.loginTooOld {
            return try reauthenticate()
        } catch let refusal as TokenRefusal {
            let signIn = path.signInPath(continuing: AccountContinuation(path))
            return PageResponse(.redirect(to: signIn), of: realm.id, because: refusal)
        } catch EditRefusal.lastSignInMethod {
            return response(.lastWayToSignIn(frame()), because: EditRefusal.lastSignInMethod)
        } catch let refusal as TooManyAttempts {
            let page = Page.accountFailure(.tooManyAttempts(minutes: refusal.retryAfter.delayMinutes), frame())
            var limited = response(page, status: 429, because: refusal)
            limited.response.headers.add("Retry-After", String(refusal.retryAfter.delaySeconds))
            return limited
        } catch let refusal as any Refusal {
            return response(.accountFailure(.init(refusal), frame()), because: refusal)
        }
    }
}

extension Page.AccountFailure {
    fileprivate init(_ refusal: any Refusal) {
        self =
            switch refusal {
            case SignInPageRefusal.foreignForm, FactorRefusal.invalidSessionInfo, PhoneRefusal.invalidSessionInfo,
                PhoneRefusal.missingSessionInfo, PhoneRefusal.sessionExpired:
                .formExpired
            case FactorRefusal.factorUnknown, PasskeyRefusal.unknown: .methodGone
            case EditRefusal.deletionNotAllowed: .deletionNotAllowed
            default: .notAllowed
            }
    }
}
