internal import Encoding
internal import HTML
internal import JSON

/// Signs an administrator in to an app as the user.
enum SupportAccessForm {
    static func block(_ account: AccountSummary, _ context: ScreenContext) -> ScreenBlock {
        .details("Support access", [.form(form(account, context))])
    }

    private static func form(_ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "impersonate", button: "Get a code for the app",
            [
                FormField("reason", "Reason, for the audit trail", isRequired: true),
                FormField("appId", "ID of the app", value: "default", isRequired: true),
                FormField("continueUri", "URL to which the app returns after a sign-in", isRequired: true),
            ], isDangerous: true, notice: "The app can sign in as the user",
            resultMarkup: { result, _ in
                [
                    .paragraph(
                        "The app exchanges the code and the code verifier within five minutes, once. The session ends after 30 minutes and cannot be renewed. The user sees it in the list of devices."
                    ),
                    .markup(.commandLine(result.json?["code"]?.text ?? "")),
                    .markup(.commandLine(result.json?["codeVerifier"]?.text ?? "")),
                    .markup(Markup(.p, [.link(context.path, .text("Back to the account"))])),
                ]
            }
        ) { input in
            try context.catalog.call(
                "impersonateAccount", in: context.realm,
                body: [
                    "localId": .string(account.id), "reason": .string(input["reason"]),
                    "appId": .string(input["appId"]), "continueUri": .string(input["continueUri"]),
                ])
        }
    }
}
