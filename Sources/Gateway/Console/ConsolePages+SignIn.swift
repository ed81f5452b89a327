internal import API
internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity

/// The pages on which a person signs in, proves the factors again, accepts an invitation and signs out.
extension ConsolePages {
    var signInEndpoints: [Endpoint] {
        [
            .pageOutsideContract("getConsoleSignIn", .get, SignInScreens.path) { try await showSignIn($0) },
            .pageOutsideContract("postConsoleSignIn", .post, SignInScreens.path) { try await submitSignIn($0) },
            .pageOutsideContract("getConsoleInvitation", .get, SignInScreens.invitationPath) { call in
                try await serving(call) { cookies in
                    let state = state(call.request.query("continue"), &cookies)
                    return respond(SignInScreens.invitation(state, code: call.request.query("code") ?? ""), call)
                }
            },
            .pageOutsideContract("postConsoleInvitation", .post, SignInScreens.invitationPath) {
                try await submitInvitation($0)
            },
            .pageOutsideContract("postConsoleSignOut", .post, SignInScreens.signOutPath) { try await signOut($0) },
            .pageOutsideContract("getConsolePasskeys", .get, SignInScreens.passkeysPath) { try await showPasskeys($0) },
            .pageOutsideContract("postConsolePasskeys", .post, SignInScreens.passkeysPath) {
                try await submitPasskeys($0)
            },
            .pageOutsideContract("getConsoleRecoveryCodes", .get, SignInScreens.recoveryCodesPath) {
                try await showRecoveryCodes($0)
            },
            .pageOutsideContract("postConsoleRecoveryCodes", .post, SignInScreens.recoveryCodesPath) {
                try await renewRecoveryCodes($0)
            },
        ]
    }

    func state(
        _ target: String?, _ cookies: inout ConsoleCookies, problem: String? = nil
    ) -> SignInScreens.State {
        SignInScreens.State(
            target: Self.target(target), forms: forms, browser: Self.browser(ofFlow: cookies.flow()), problem: problem)
    }

    /// To what the tokens of forms are bound before the sign-in.
    private static func browser(ofFlow flow: String) -> [UInt8] { Array("console flow|\(flow)".utf8) }

    /// A page of the console; its start for any other text.
    static func target(_ text: String?) -> String {
        guard let text, text.utf8.count <= 6144, text.utf8.starts(with: "\(home)/".utf8),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return home }
        return text
    }

    func respond(_ screen: Screen, _ call: EndpointCall) -> Response {
        PageFrame(product: .init("Sekisho console", Self.home), links: [], switches: [], banners: [])
            .response(screen, path: call.request.path)
    }

    private func showSignIn(_ call: EndpointCall) async throws -> Response {
        try await serving(call) { cookies in
            let person = try await person(&cookies)
            let state = state(call.request.query("continue"), &cookies)
            return respond(
                SignInScreens.password(
                    state, email: person?.account.email?.rawValue ?? "", isConfirmation: person != nil,
                    passkey: try await signInCeremony()), call)
        }
    }

    private func submitSignIn(_ call: EndpointCall) async throws -> Response {
        try await serving(call) { cookies in
            guard let submitted = accepted(call, &cookies) else { return formRejected(call) }
            let input = submitted.input
            do {
                switch submitted.form {
                case "password": return try await checkPassword(input, call, &cookies)
                case "code":
                    let reference = try await signIn.finish(
                        input["pendingCredential"], code: input["code"].withoutSpaces, accepting: cookies[.invitation],
                        from: call.context)
                    return try await signedIn(reference, input, call, &cookies)
                case "enrolment":
                    let reference = try await signIn.finishEnrolment(
                        idToken: input["idToken"], sessionInfo: input["sessionInfo"],
                        code: input["code"].withoutSpaces, accepting: cookies[.invitation], from: call.context)
                    return try await signedIn(reference, input, call, &cookies)
                case "passkey":
                    let reference = try await signIn.finish(
                        try AuthenticationResponse(field: input.passkeyResponse), accepting: cookies[.invitation],
                        from: call.context)
                    return try await signedIn(reference, input, call, &cookies)
                case "createPasskey": return try await createPasskey(input, call, &cookies)
                default: return formRejected(call)
                }
            } catch let refusal as any Refusal {
                let state = state(input["continue"], &cookies, problem: refusal.textForPerson)
                return respond(try await screen(after: submitted, state), call)
            }
        }
    }

    /// The screen of a rejected form, on which the person can try again.
    private func screen(after submitted: PersonFormInput, _ state: SignInScreens.State) async throws -> Screen {
        let input = submitted.input
        switch submitted.form {
        case "code": return SignInScreens.code(state, pendingCredential: input["pendingCredential"])
        case "enrolment", "createPasskey":
            let enrolment = SignInScreens.Enrolment(
                idToken: input["idToken"], sessionInfo: input["sessionInfo"], secret: input["secret"],
                email: input["email"])
            return SignInScreens.enrolment(
                state, enrolment, passkey: try await creationCeremony(idToken: input["idToken"]))
        default:
            return SignInScreens.password(
                state, email: input["email"], isConfirmation: false, passkey: try await signInCeremony())
        }
    }

    private func checkPassword(
        _ input: FormInput, _ call: EndpointCall, _ cookies: inout ConsoleCookies
    ) async throws -> Response {
        let step = try await signIn.start(
            email: input["email"], password: Secret(input["password"]), from: call.context)
        let state = state(input["continue"], &cookies)
        switch step {
        case .code(let pendingCredential):
            return respond(SignInScreens.code(state, pendingCredential: pendingCredential), call)
        case .passkey:
            return respond(SignInScreens.passkey(state, try await signInCeremony(), isNew: false), call)
        case .enrolment(let idToken):
            let started = try await signIn.startEnrolment(idToken: idToken)
            let enrolment = SignInScreens.Enrolment(
                idToken: idToken, sessionInfo: started.sessionInfo, secret: started.secret, email: input["email"])
            return respond(
                SignInScreens.enrolment(state, enrolment, passkey: try await creationCeremony(idToken: idToken)), call)
        }
    }

    /// Replaces the session of the browser.
    private func signedIn(
        _ reference: String, _ input: FormInput, _ call: EndpointCall, _ cookies: inout ConsoleCookies
    ) async throws -> Response {
        if let former = cookies[.session], let found = try await signIn.person(former) {
            try await signIn.signOut(found.person, from: call.context)
        }
        cookies.set(.session, reference)
        cookies.remove(.flow)
        if cookies[.invitation] != nil { cookies.remove(.invitation) }
        return Self.redirect(to: Self.target(input["continue"]))
    }

    private func submitInvitation(_ call: EndpointCall) async throws -> Response {
        try await serving(call) { cookies in
            guard let submitted = accepted(call, &cookies) else { return formRejected(call) }
            let code = submitted.input["code"]
            do {
                try await signIn.sendPasswordEmail(
                    to: submitted.input["email"].trimmed, accepting: code, from: call.context)
                if !code.isEmpty, code.utf8.count <= 128, code.utf8.allSatisfy({ $0.isBase64URL }) {
                    cookies.set(.invitation, code)
                }
                return respond(SignInScreens.emailSent, call)
            } catch let refusal as any Refusal {
                let state = state(nil, &cookies, problem: refusal.textForPerson)
                return respond(SignInScreens.invitation(state, code: code), call)
            }
        }
    }

    private func accepted(_ call: EndpointCall, _ cookies: inout ConsoleCookies) -> PersonFormInput? {
        guard let submitted = PersonFormInput(FormInput(call.request)), let flow = cookies[.flow],
            forms.accepts(submitted, in: call.request, of: Self.browser(ofFlow: flow), origin: url())
        else { return nil }
        return submitted
    }

    func formRejected(_ call: EndpointCall) -> Response {
        respond(
            Screen(
                "The form was rejected", status: 403,
                [
                    .paragraph("The form did not come from a page of the console, or is too old. Nothing was changed."),
                    .markup(Markup(.p, [.link(SignInScreens.path, .text("Sign in"))])),
                ]), call)
    }
}

extension Refusal {
    /// What the page says about a rejected sign-in.
    var textForPerson: String {
        switch code {
        case .invalidLoginCredentials, .emailNotFound, .invalidPassword: "The email address or the password is wrong."
        case .invalidEmail, .missingEmail: "This is not an email address."
        case .invalidCode: "The code is wrong, or was used before."
        case .tooManyAttemptsTryLater: "There were too many attempts. Wait a few minutes, then try again."
        case .userDisabled: "The account is disabled."
        case .missingAuthenticatorResponse, .invalidCredentialID, .invalidAuthenticatorResponse,
            .passkeyChallengeTimeout:
            "The passkey was not accepted, or the page was open for too long. Try again."
        case .passkeyEnrollmentNotFound: "No account of the console has this passkey."
        case .passkeyExists: "The passkey exists already."
        default: detail ?? message
        }
    }
}

extension String {
    /// The text without spaces, which people type between the digits of a code.
    fileprivate var withoutSpaces: String { String(filter { !$0.isWhitespace }) }
}

extension UInt8 {
    fileprivate var isBase64URL: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
