internal import Console
internal import Encoding
internal import Gateway
internal import HTML
internal import Identity
internal import JSON
internal import Tokens

extension StartPages {
    /// The sections of an account's page that only `dev` has: a new password, and sign-in as the user.
    func developerSections(of account: AccountSummary, _ context: ScreenContext) -> [ScreenBlock] {
        personSection(of: account, context) + [
            .section(
                "Password",
                [
                    .form(
                        Form(
                            "password", button: "Set password",
                            [FormField("password", "New password", .password, isRequired: true)],
                            notice: "The password was set."
                        ) { input in
                            try AccountScreen.update(account, ["password": .string(input["password"])], context)
                        })
                ]),
            .section("Sign in as this user", [signInBlock(account, context)]),
        ]
    }

    private func signInBlock(_ account: AccountSummary, _ context: ScreenContext) -> ScreenBlock {
        // The only expected error is that of an ID that a custom token cannot contain.
        guard let token = try? customToken(of: account, context) else {
            return .paragraph("The ID of this account is not possible in a custom token.")
        }
        let custom = ScreenBlock.details(
            "Custom token", [.markup(.commandLine(token)), .paragraph("Pass it to signInWithCustomToken in your app.")])
        guard context.realm.project.isExactly(projects.defaultID.rawValue) else {
            return .section(
                "Custom token",
                [.markup(.commandLine(token)), .paragraph("Tokens of a session are available in the default project.")])
        }
        let tenant = context.realm.tenant.map { ["tenantId": JSONValue.string($0)] } ?? [:]
        let form = Form(
            "sign-in-as", button: "Get tokens", notice: "Signed in as \(account.title)",
            resultMarkup: { [context] result, _ in Self.tokenBlocks(result, of: account.id, context) }
        ) { _ in
            let body: JSONObject = ["token": .string(token), "returnSecureToken": .bool(true)]
            return try context.catalog.call(
                "signInWithCustomToken", in: RealmName(project: context.realm.project, tenant: nil),
                body: body.merging(tenant.map { (ByteText($0.key), $0.value) }) { $1 }, credential: .apiKey)
        }
        return .columns([.form(form), custom])
    }

    /// The tokens of a new session, and a link to its account.
    static func tokenBlocks(
        _ result: APIResult, of account: String, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let tokens = ["idToken", "refreshToken"].compactMap { name in
            result.json?[ByteText(name)]?.text.map { token in
                ScreenBlock.section(name, [.markup(.commandLine(token))])
            }
        }
        return [
            .markup(links([("Open the account", context.accountPath(account))])),
            .paragraph("This page shows the tokens only once. They belong to a new session of the account."),
        ] + tokens
    }

    /// An unsigned custom token, which only `dev` accepts.
    private func customToken(of account: AccountSummary, _ context: ScreenContext) throws -> String {
        let seconds = context.now / 1000
        var claims: JSONObject = [
            "aud": .string(CustomTokens.audience), "iss": .string("dev@example.com"), "sub": .string("dev@example.com"),
            "iat": .integer(seconds), "exp": .integer(seconds + 3600), "uid": .string(account.id),
        ]
        claims["tenant_id"] = context.realm.tenant.map(JSONValue.string)
        let header: JSONObject = ["alg": .string("none"), "typ": .string("JWT")]
        let parts = try [header, claims].map { Base64URL.encode(try StrictJSON.encode($0)) }
        return parts.joined(separator: ".") + "."
    }
}
