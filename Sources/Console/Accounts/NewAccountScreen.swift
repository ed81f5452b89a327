internal import Encoding
internal import HTML
internal import JSON

/// Creates an account.
package enum NewAccountScreen {
    package static func screen(_ context: ScreenContext) -> Screen {
        Screen(
            "New account",
            [
                .markup(Markup(.p, [.link(context.consolePath(["accounts"]), .text("All accounts"))])),
                .section("Account", [.form(form(context))]),
            ])
    }

    private static func form(_ context: ScreenContext) -> Form {
        Form(
            "create-account", button: "Create account",
            [
                FormField("email", "Email address", .email),
                FormField("password", "Password", .password, hint: "Leave it empty for an account without a password."),
                FormField("displayName", "Name"),
                FormField("emailVerified", "The email address is verified", .checkbox),
                FormField("phoneNumber", "Phone number", hint: "With country code, for example +15551234567."),
                FormField("guest", "A guest, without email address and phone number", .checkbox),
                FormField("localId", "ID", hint: "Leave it empty for a random ID."),
            ], notice: "The account was created.",
            nextPath: { [context] result in
                (result.json?["localId"]?.text).map(context.accountPath) ?? context.consolePath(["accounts"])
            }
        ) { [context] input in
            // The command line of the empty form creates a guest.
            let isGuest = input.isChecked("guest") || !input.isSubmitted
            guard isGuest || !input["email"].isEmpty || !input["phoneNumber"].isEmpty else {
                throw Form.InvalidField("email", "Enter an email address or a phone number, or choose a guest.")
            }
            guard !input.isChecked("guest") || input["email"].isEmpty && input["phoneNumber"].isEmpty else {
                throw Form.InvalidField("guest", "A guest has no email address and no phone number.")
            }
            var body: JSONObject = [:]
            for name in ["email", "password", "displayName", "phoneNumber", "localId"] where !input[.init(name)].isEmpty
            {
                body[.init(name)] = .string(input[.init(name)])
            }
            if input.isChecked("emailVerified") { body["emailVerified"] = .bool(true) }
            return try context.catalog.call("createAccount", in: context.realm, body: body)
        }
    }
}
