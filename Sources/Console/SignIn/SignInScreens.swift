internal import Encoding
internal import HTML
package import HTTP
internal import QRCode

/// The pages on which a person signs in to the console.
package enum SignInScreens {
    package static let path = "/console/signIn"
    package static let invitationPath = "/console/invitation"
    package static let signOutPath = "/console/signOut"

    /// What the forms of the sign-in keep from page to page.
    package struct State: Sendable {
        /// The page to which the sign-in leads.
        let target: String
        let forms: FormTokens
        /// To what the tokens of forms are bound: the cookie of the sign-in.
        let browser: [UInt8]
        /// Why the last form was rejected.
        let problem: String?

        package init(target: String, forms: FormTokens, browser: [UInt8], problem: String? = nil) {
            self.target = target
            self.forms = forms
            self.browser = browser
            self.problem = problem
        }
    }

    /// - Parameters:
    ///   - email: the address that the field shows.
    ///   - isConfirmation: whether the person is signed in, and proves the factors again.
    ///   - passkey: the ceremony with which the person can sign in instead.
    package static func password(
        _ state: State, email: String, isConfirmation: Bool, passkey: ConsoleCeremony?
    ) -> Screen {
        let form = PersonForm(
            "password", to: path, button: "Continue",
            [
                FormField("email", "Email address", .username, value: email, isRequired: true),
                FormField("password", "Password", .ownPassword, isRequired: true),
            ], keeping: [("continue", state.target)])
        let reset = Markup(
            .p,
            [
                .text("No password yet, or forgotten? "),
                .link(invitationPath, .text("Set a password by email")),
            ])
        let text =
            isConfirmation
            ? "Confirm with your password and a code, or with your passkey. You then return to the page, with what you have entered."
            : nil
        return screen(
            isConfirmation ? "Confirm that it is you" : "Sign in to the console", state, text,
            [form.markup(state.forms, for: state.browser)] + passkeyForm(passkey, state, isQuiet: true) + [reset],
            passkey)
    }

    package static func code(_ state: State, pendingCredential: String) -> Screen {
        let form = PersonForm(
            "code", to: path, button: "Sign in",
            [
                FormField(
                    "code", "Code", .oneTimeCode, isRequired: true,
                    hint: "The code in your authenticator app, or a recovery code.")
            ], keeping: [("continue", state.target), ("pendingCredential", pendingCredential)])
        return screen("Enter the code", state, nil, [form.markup(state.forms, for: state.browser)])
    }

    /// What the form that enrolls an authenticator app keeps.
    package struct Enrolment: Sendable {
        let idToken: String
        let sessionInfo: String
        /// In base32.
        let secret: String
        let email: String

        package init(idToken: String, sessionInfo: String, secret: String, email: String) {
            self.idToken = idToken
            self.sessionInfo = sessionInfo
            self.secret = secret
            self.email = email
        }
    }

    /// - Parameter passkey: the ceremony with which the person can create a passkey instead.
    package static func enrolment(_ state: State, _ enrolment: Enrolment, passkey: ConsoleCeremony?) -> Screen {
        let kept = [
            ("continue", state.target), ("idToken", enrolment.idToken), ("sessionInfo", enrolment.sessionInfo),
            ("secret", enrolment.secret), ("email", enrolment.email),
        ]
        let form = PersonForm(
            "enrolment", to: path, button: "Enroll and sign in",
            [FormField("code", "Code in the authenticator app", .oneTimeCode, isRequired: true)], keeping: kept)
        let creation = passkey.map { ceremony in
            PersonForm(
                "createPasskey", to: path, button: "Create a passkey instead", keeping: kept, isQuiet: true,
                ceremony: ceremony
            ).markup(state.forms, for: state.browser)
        }
        return screen(
            "Set up an authenticator app", state,
            "The console needs a second factor. Scan the QR code with an authenticator app, or add an account with the key. Then enter the code that the app shows.",
            qrCode(of: enrolment) + [
                .details([("Key", Markup(.code, text: enrolment.secret)), ("Account", .isolated(enrolment.email))]),
                form.markup(state.forms, for: state.browser),
            ] + [creation].compactMap(\.self), passkey)
    }

    /// - Returns: only the link to the app if the address is too long for a small code.
    private static func qrCode(of enrolment: Enrolment) -> [Markup] {
        let (issuer, account) = ("Sekisho%20console", PercentEncoding.encode(enrolment.email))
        let url = "otpauth://totp/\(issuer):\(account)?secret=\(enrolment.secret)&issuer=\(issuer)"
        let link = Markup(
            .p,
            [
                Markup(
                    .a, [.classes(["button", "quiet"]), .href(URLReference(appLink: url))],
                    text: "Open the authenticator app")
            ])
        guard let code = QRCode(url) else { return [link] }
        return [Markup(.p, [.qrCode(code, title: "QR code for the authenticator app")]), link]
    }

    /// - Parameter code: of the invitation; empty without one.
    package static func invitation(_ state: State, code: String) -> Screen {
        let form = PersonForm(
            "invitation", to: invitationPath, button: "Send me an email",
            [
                FormField(
                    "email", "Email address", .username, isRequired: true,
                    hint: code.isEmpty ? nil : "The address to which the invitation belongs.")
            ], keeping: [("code", code)])
        let text =
            code.isEmpty
            ? "We send you an email with a link. On its page, you set a new password."
            : "You are invited to the console. We send you an email with a link. On its page, you set a password. Then sign in here, in this browser."
        let signIn = Markup(.p, [.link(path, .text("I have a password: sign in"))])
        return screen(
            code.isEmpty ? "Set a password" : "Accept the invitation", state, text,
            [form.markup(state.forms, for: state.browser), signIn])
    }

    package static let emailSent = Screen(
        "Check your email",
        [
            .paragraph(
                "If an account has this address, an email is on its way. Set a password on the page to which it leads, then sign in here, in this browser."
            ),
            .markup(Markup(.p, [.link(path, .text("Sign in"))])),
        ])

    /// - Parameter ceremony: the ceremony of a form in `content`.
    static func screen(
        _ title: String, _ state: State, _ text: String?, _ content: [Markup], _ ceremony: ConsoleCeremony? = nil
    ) -> Screen {
        let problem = state.problem.map {
            Markup(
                .div,
                [.role("alert"), .classes(["problem"]), .id(ElementID("problem")), .focusableByScript, .autofocus],
                [Markup(.h2, text: "This did not work"), Markup(.p, text: $0)])
        }
        let blocks = [problem, text.map { Markup(.p, text: $0) }].compactMap(\.self) + content
        var screen = Screen(
            title, status: state.problem == nil ? 200 : 400, [.markup(Markup(.section, blocks))])
        screen.script = ceremony?.script
        return screen
    }
}
