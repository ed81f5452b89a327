internal import Encoding
internal import HTML
internal import JSON

extension AccountScreen {
    /// The maximum number of identities on a page, so that the page stays below 40 KiB.
    private static let identitiesOnPage = 5

    /// The identities of the account, each with a form that unlinks it, and the form that links another one.
    static func identityBlocks(
        _ result: APIResult, _ events: APIResult, _ account: AccountSummary, _ context: ScreenContext
    ) -> [ScreenBlock] {
        guard result.isSuccess else { return [.problem(context.problem(result))] }
        let identities = (result.json?["identities"]).elements
        let password =
            (account.hasPassword ? [ScreenBlock.paragraph("The account has a password.")] : [])
            + (account.phoneNumber.map { [.paragraph("The account signs in with the telephone number \($0).")] } ?? [])
        let none: [ScreenBlock] =
            identities.isEmpty ? [.paragraph("No identity of a provider is linked.")] : []
        let page = PagedList(identities, size: identitiesOnPage, context)
        return password + none + page.items.flatMap { blocks(of: $0, events, account, context) }
            + page.links(context.accountPath(account.id)) + [
                .details("Link an identity", [.form(linkForm(account, context))])
            ]
    }

    private static func blocks(
        of identity: JSONValue, _ events: APIResult, _ account: AccountSummary, _ context: ScreenContext
    ) -> [ScreenBlock] {
        guard let provider = identity["providerId"]?.text else { return [] }
        var facts: [(String, Markup)] = [("Subject", Markup(.code, text: identity["rawId"]?.text ?? ""))]
        if let email = identity["email"]?.text {
            let relay = identity["isPrivateEmail"].isTrue ? [Markup.text(" "), .tag("relay address")] : []
            facts.append(("Email address", .group([.isolated(email)] + relay)))
        }
        if account.identities.contains(where: { $0.provider.isExactly(provider) && $0.isDisconnected }) {
            let time = disconnectionTime(events).map { [Markup.text(", "), .time($0, now: context.now)] } ?? []
            facts.append(
                (
                    "State",
                    .group(
                        [.tag("disconnected")] + time
                            + [
                                .text(
                                    ". The user disconnected the app at the provider. Sessions that existed then have ended."
                                )
                            ])
                ))
        }
        if let trust = identity["emailTrust"]?.text {
            facts.append(("Trust in the address", .text(Words.trust(trust))))
        }
        if let status = identity["realUserStatus"]?.text {
            facts.append(("Apple's estimate", .text(Words.realUserStatus(status))))
        }
        return [
            .section(
                provider,
                [
                    .markup(.details(facts)), .form(unlinkForm(provider, account, context)),
                    .details("Move it to another account", [.form(moveForm(provider, account, context))]),
                ])
        ]
    }

    /// When the user disconnected the app, in milliseconds since 1970; `nil` if this is not among the listed events.
    private static func disconnectionTime(_ events: APIResult) -> Int64? {
        let event = (events.json?["auditEvents"]).elements.first {
            $0["action"]?.text?.endsExactly(with: ".consentRevoked") == true
        }
        return (event?["occurredAt"]?.text).flatMap(RFC3339.microsecondsSince1970).map { $0 / 1000 }
    }

    private static func unlinkForm(
        _ provider: String, _ account: AccountSummary, _ context: ScreenContext
    ) -> Form {
        Form(
            "unlink-\(provider)", button: "Unlink \(provider)",
            [
                FormField(
                    "allowNoSignInMethod", "Unlink it even if no way to sign in remains", .checkbox,
                    hint: consequence(of: provider, account))
            ],
            isDangerous: true, notice: "The identity was unlinked."
        ) { input in
            try context.catalog.call(
                "unlinkIdentity", in: context.realm, parameters: ["localId": account.id, "providerId": provider],
                query: input.isChecked("allowNoSignInMethod") ? [.init("allowNoSignInMethod", "true")] : [])
        }
    }

    /// What unlinking does besides; `nil` if there is nothing to say.
    private static func consequence(of provider: String, _ account: AccountSummary) -> String? {
        guard provider.isExactly("apple.com") else { return nil }
        let isRelay = account.email?.endsExactly(with: "@privaterelay.appleid.com") == true
        let address = isRelay ? " The account also loses its address, which is Apple's relay address." : ""
        return "This also revokes the app's tokens at Apple: Apple then lists the app no longer for the user.\(address)"
    }

    private static func moveForm(_ provider: String, _ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "move-\(provider)", button: "Move \(provider)",
            [
                FormField("targetLocalId", "ID of the other account", isRequired: true),
                FormField("allowNoSignInMethod", "Move it even if no way to sign in remains here", .checkbox),
            ], isDangerous: true, notice: "The identity was moved."
        ) { input in
            var body: JSONObject = ["targetLocalId": .string(input["targetLocalId"])]
            if input.isChecked("allowNoSignInMethod") { body["allowNoSignInMethod"] = .bool(true) }
            return try context.catalog.call(
                "moveIdentity", in: context.realm, parameters: ["localId": account.id, "providerId": provider],
                body: body)
        }
    }

    private static func linkForm(_ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "link", button: "Link identity",
            [
                FormField(
                    "providerId", "Provider", value: "apple.com", isRequired: true,
                    hint: "For example apple.com or oidc.acme."),
                FormField("rawId", "Subject", isRequired: true, hint: "The user's ID at the provider (sub)."),
                FormField("email", "Email address at the provider", .email),
            ], notice: "The identity was linked."
        ) { input in
            var body: JSONObject = [
                "providerId": .string(input["providerId"]), "rawId": .string(input["rawId"]),
            ]
            if !input["email"].isEmpty { body["email"] = .string(input["email"]) }
            return try context.catalog.call(
                "linkIdentity", in: context.realm, parameters: ["localId": account.id], body: body)
        }
    }
}
