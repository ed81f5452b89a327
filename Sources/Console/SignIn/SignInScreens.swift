internal import HTML
package import HTTP

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
    package static func password(_ state: State, email: String, isConfirmation: Bool) -> Screen {
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
        let text = isConfirmation ? "Enter your password and a code to confirm that it is you." : nil
        return screen(
            isConfirmation ? "Confirm that it is you" : "Sign in to the console", state, text,
            [form.markup(state.forms, for: state.browser), reset])
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

    /// - Parameter secret: in base32.
    package static func enrolment(
        _ state: State, idToken: String, sessionInfo: String, secret: String, email: String
    ) -> Screen {
        let form = PersonForm(
            "enrolment", to: path, button: "Enroll and sign in",
            [FormField("code", "Code in the authenticator app", .oneTimeCode, isRequired: true)],
            keeping: [
                ("continue", state.target), ("idToken", idToken), ("sessionInfo", sessionInfo), ("secret", secret),
                ("email", email),
            ])
        return screen(
            "Set up an authenticator app", state,
            "The console needs a second factor. Add an account with this key to an authenticator app, then enter the code that the app shows.",
            [
                .details([("Key", Markup(.code, text: secret)), ("Account", .isolated(email))]),
                form.markup(state.forms, for: state.browser),
            ])
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

    private static func screen(_ title: String, _ state: State, _ text: String?, _ content: [Markup]) -> Screen {
        let problem = state.problem.map {
            Markup(
                .div,
                [.role("alert"), .classes(["problem"]), .id(ElementID("problem")), .focusableByScript, .autofocus],
                [Markup(.h2, text: "This did not work"), Markup(.p, text: $0)])
        }
        let blocks = [problem, text.map { Markup(.p, text: $0) }].compactMap(\.self) + content
        return Screen(
            title, status: state.problem == nil ? 200 : 400, [.markup(Markup(.section, blocks))])
    }
}
