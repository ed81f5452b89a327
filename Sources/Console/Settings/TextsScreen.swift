internal import Encoding
internal import HTML
internal import JSON

/// Shows and changes the texts with which a project replaces built-in ones.
package enum TextsScreen {
    private static let texts = [
        ("verifyEmail", "Email that verifies an address"), ("verifyEmailButton", "Its button"),
        ("resetPassword", "Email that resets a password"), ("resetPasswordButton", "Its button"),
        ("signInEmail", "Email that signs in"), ("signInEmailButton", "Its button"),
        ("changeEmail", "Email that changes an address"), ("changeEmailButton", "Its button"),
        ("signInTitle", "Heading of the sign-in"), ("signUpTitle", "Heading of the sign-up"),
        ("resetTitle", "Heading of the password reset"), ("signInHelp", "Help below the sign-in"),
        ("signUpHelp", "Help below the sign-up"), ("resetAdvice", "Advice before a password reset"),
        ("noMethod", "The app offers no sign-in method"), ("accountDisabled", "The account is disabled"),
    ]

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(try context.catalog.call("getProjectConfig", in: project))
        guard let configuration = result.json, result.isSuccess else {
            return Screen("Texts", status: 400, [.problem(context.problem(result))])
        }
        let stored = configuration["texts"].elements
        let list: ScreenBlock =
            stored.isEmpty
            ? .paragraph("The project uses the built-in texts.")
            : .markup(.table("Texts", ["Text", "Language", "Content"], stored.map(row)))
        return Screen(
            "Texts",
            [
                .markup(SettingsTabs.markup("Texts", context)), .section("Texts of this project", [list]),
                .section("Replace a text", [.form(form(project, context))]),
                .section("Preview an email", [.form(previewForm(project, context))]),
            ])
    }

    /// The email with the stored texts, as a user would get it.
    private static func previewForm(_ project: RealmName, _ context: ScreenContext) -> Form {
        let emails = texts.filter { ["verifyEmail", "resetPassword", "signInEmail", "changeEmail"].contains($0.0) }
        return Form(
            "preview", button: "Preview",
            [
                FormField("subject", "Email", .choice(emails.map { .init($0.0, $0.1) }), value: emails[0].0),
                FormField("language", "Language", .choice(LanguageChoices.all), value: LanguageChoices.all[0].value),
            ], notice: "Preview of an email",
            resultMarkup: { result, _ in
                [
                    .markup(.details([("Subject", .isolated(result.json?["subject"]?.text ?? ""))])),
                    .markup(
                        Markup(
                            .pre, [.focusable, .role("group"), .label("The email as text")],
                            text: result.json?["text"]?.text ?? "")),
                    .markup(Markup(.p, [.link(context.consolePath(["texts"]), .text("All texts"))])),
                ]
            }
        ) { input in
            try context.catalog.call(
                "previewTexts", in: project,
                body: ["subject": .string(input["subject"]), "language": .string(input["language"])])
        }
    }

    private static func row(_ text: JSONValue) -> [Markup] {
        let key = text["key"]?.text ?? ""
        return [
            .text(texts.first { $0.0.isExactly(key) }.map { "\($0.1) (\(key))" } ?? key),
            .text(LanguageChoices.name(of: text["language"]?.text ?? "")),
            .isolated((text["text"]?.text ?? "").shortened(to: 300)),
        ]
    }

    private static func form(_ project: RealmName, _ context: ScreenContext) -> Form {
        Form(
            "texts", button: "Save text",
            [
                FormField("key", "Text", .choice(texts.map { .init($0.0, "\($0.1) (\($0.0))") }), value: texts[0].0),
                FormField(
                    "language", "Language", .choice(LanguageChoices.all), value: LanguageChoices.all[0].value),
                FormField(
                    "text", "Content", .lines(4),
                    hint: "Plain text in one line, without links. {app} stands for the name of the app. "
                        + "Empty: the built-in text."),
            ], scopes: ["trust"], notice: "The text was saved."
        ) { input in
            let (key, language) = (input["key"], input["language"])
            let text = input["text"].trimmed
            let new: [JSONValue] =
                text.isEmpty
                ? [] : [.object(["key": .string(key), "language": .string(language), "text": .string(text)])]
            return try context.catalog.call(
                "updateProjectConfig", in: project, query: [.init("updateMask", "texts.\(key).\(language)")],
                body: ["texts": .array(new)])
        }
    }
}
