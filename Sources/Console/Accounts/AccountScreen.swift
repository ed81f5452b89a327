internal import Encoding
internal import HTML
package import JSON

/// Shows and changes one account.
package enum AccountScreen {
    /// - Parameter additions: more sections, such as those that only `dev` has.
    package static func screen(
        of id: String, _ context: ScreenContext, adding additions: (AccountSummary) -> [ScreenBlock] = { _ in [] }
    ) async throws -> Screen {
        let found = try await context.perform(
            try context.catalog.call("lookUpAccounts", in: context.realm, body: ["localId": .array([.string(id)])]))
        guard found.isSuccess else { return Screen("Account", status: 400, [.problem(context.problem(found))]) }
        guard let account = found.json?["users"].elements.first.flatMap(AccountSummary.init) else {
            return .notFound("This account does not exist", "It may have been deleted.")
        }
        let identities = try await context.perform(
            try context.catalog.call("listIdentities", in: context.realm, parameters: ["localId": id]))
        let events = try await context.perform(
            try context.catalog.call(
                "listAuditEvents", in: context.realm, query: [.init("subject", id), .init("pageSize", "20")]))
        let obstacles = try await context.perform(
            try context.catalog.call("listSignInObstacles", in: context.realm, parameters: ["localId": id]))
        let sessions = try await context.perform(
            try context.catalog.call(
                "listAccountSessions", in: context.realm, parameters: ["localId": id],
                query: [.init("pageSize", "\(SessionList.limit)")]))
        return Screen(
            account.title,
            [
                .markup(
                    Markup(
                        .p,
                        [.link(context.consolePath(["accounts"]), .text("All accounts"))]
                            + account.tags.flatMap { [.text(" "), .tag($0)] })),
                .columns(
                    [
                        .section("Profile", [.markup(facts(account, context)), .form(profileForm(account, context))]),
                        .section("Sign-in methods", identityBlocks(identities, events, account, context)),
                        .section("Passkeys and second factors", factorBlocks(account, context)),
                        .section(
                            "Access", [SignInObstacleList.block(obstacles, context)] + accessBlocks(account, context)),
                        .section("Sessions", [SessionList.block(sessions, context)]),
                        .section("Emails", emailBlocks(account, context)),
                        .section("Custom claims", [.form(claimsForm(account, context))]),
                    ] + additions(account)),
                .section("Audit trail", [AuditTrailList.block(events, context)]),
                SupportAccessForm.block(account, context),
                .details("Merge with another account, or undo a merge", mergeBlocks(account, events, context)),
                .details("Delete the account", [.form(deletionForm(account, context))]),
            ])
    }

    private static func facts(_ account: AccountSummary, _ context: ScreenContext) -> Markup {
        let time = { (milliseconds: Int64?) -> Markup in
            milliseconds.map { .time($0, now: context.now) } ?? .text("never")
        }
        return .details([
            ("ID", Markup(.code, text: account.id)), ("Created", time(account.createdAt)),
            ("Last sign-in", time(account.lastSignInAt)),
        ])
    }

    private static func profileForm(_ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "profile", button: "Save profile",
            [
                FormField("displayName", "Name", value: account.displayName ?? ""),
                FormField("email", "Email address", .email, value: account.email ?? ""),
                FormField(
                    "emailVerified", "The email address is verified", .checkbox,
                    value: account.emailIsVerified ? "true" : "", relatedFields: ["email"]),
                FormField("phoneNumber", "Phone number", value: account.phoneNumber ?? ""),
                FormField(
                    "language", "Language of emails and pages",
                    .choice(LanguageChoices.all(with: account.language ?? "")),
                    value: account.language ?? ""),
                FormField(
                    "timeZone", "Time zone", value: account.timeZone ?? "",
                    hint: "The name of an IANA time zone, for example Europe/Berlin."),
            ], editsStoredValues: true, scopes: ["users.write"], notice: "The profile was saved."
        ) { input in
            var body: JSONObject = [:]
            let isVerified = input.isChecked("emailVerified")
            // Not sent unless it was changed: a function may have vouched for the address, which verifies nothing.
            if isVerified != account.emailIsVerified { body["emailVerified"] = .bool(isVerified) }
            var deleted: [JSONValue] = []
            func set(_ member: String, _ old: String?, attribute: String) {
                let new = input[.init(member)]
                if !new.isExactly(old ?? "") {
                    if new.isEmpty { deleted.append(.string(attribute)) } else { body[.init(member)] = .string(new) }
                }
            }
            set("displayName", account.displayName, attribute: "DISPLAY_NAME")
            set("email", account.email, attribute: "EMAIL")
            if !input["phoneNumber"].isExactly(account.phoneNumber ?? "") {
                // A number is also a sign-in method, so Firebase removes it as a provider.
                if input["phoneNumber"].isEmpty {
                    body["deleteProvider"] = .array([.string("phone")])
                } else {
                    body["phoneNumber"] = .string(input["phoneNumber"])
                }
            }
            // An empty text removes these.
            for (member, old) in [("language", account.language), ("timeZone", account.timeZone)]
            where !input[.init(member)].isExactly(old ?? "") {
                body[.init(member)] = .string(input[.init(member)])
            }
            if !deleted.isEmpty { body["deleteAttribute"] = .array(deleted) }
            return try update(account, body, context)
        }
    }

    private static func accessBlocks(_ account: AccountSummary, _ context: ScreenContext) -> [ScreenBlock] {
        let access =
            account.isDisabled
            ? Form("enable", button: "Enable the account", notice: "The account is enabled.") { _ in
                try update(account, ["disableUser": .bool(false)], context)
            }
            : Form("disable", button: "Disable the account", isDangerous: true, notice: "The account is disabled.") {
                _ in
                try update(account, ["disableUser": .bool(true)], context)
            }
        let signOut = Form(
            "sign-out", button: "Sign out everywhere", notice: "Every session of the account has ended."
        ) { _ in
            try update(account, ["validSince": .string("\(context.now / 1000)")], context)
        }
        return [.form(signOut), .form(access)]
    }

    private static func claimsForm(_ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "claims", button: "Save claims",
            [
                FormField(
                    "customAttributes", "Claims as a JSON object", .lines(5), value: account.customClaims ?? "{}",
                    hint: "New ID tokens contain these claims.")
            ], editsStoredValues: true, scopes: ["users.write"], notice: "The claims were saved."
        ) { input in
            let text = input["customAttributes"]
            return try update(account, ["customAttributes": .string(text.isEmpty ? "{}" : text)], context)
        }
    }

    private static func deletionForm(_ account: AccountSummary, _ context: ScreenContext) -> Form {
        Form(
            "delete", button: "Delete the account",
            [
                FormField(
                    "confirmed", "Delete this account, which cannot be undone", .checkbox, isRequired: true)
            ], isDangerous: true, notice: "The account was deleted.",
            nextPath: { _ in context.consolePath(["accounts"]) }
        ) { _ in
            try context.catalog.call("deleteAccount", in: context.realm, body: ["localId": .string(account.id)])
        }
    }

    package static func update(
        _ account: AccountSummary, _ members: JSONObject, _ context: ScreenContext
    ) throws -> APICall {
        try context.catalog.call(
            "updateAccount", in: context.realm, body: members.merging(["localId": .string(account.id)]) { $1 })
    }
}
