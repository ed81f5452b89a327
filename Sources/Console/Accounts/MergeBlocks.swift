internal import Encoding
internal import HTML
internal import JSON

extension AccountScreen {
    /// The forms that merge another account into this one, after a preview, and that undo a merge.
    ///
    /// - Parameter events: the latest audit events of the account.
    static func mergeBlocks(
        _ account: AccountSummary, _ events: APIResult, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let preview = Form(
            "merge-preview", button: "Preview the merge",
            [
                FormField(
                    "sourceLocalId", "ID of the other account", isRequired: true,
                    hint: "The other account is deleted, and this one gets its sign-in methods.")
            ], notice: "Preview of the merge",
            resultMarkup: { result, _ in previewBlocks(result, account, context) }
        ) { input in
            try context.catalog.call(
                "mergeAccounts", in: context.realm,
                body: [
                    "sourceLocalId": .string(input["sourceLocalId"]), "localId": .string(account.id),
                    "dryRun": .bool(true),
                ])
        }
        return [.form(preview), .form(mergeForm(account, token: "", context)), .form(undoForm(events, context))]
    }

    /// The form that commits a previewed merge. The preview contains it with its token.
    private static func mergeForm(_ account: AccountSummary, token: String, _ context: ScreenContext) -> Form {
        Form(
            "merge", button: "Merge the accounts",
            [FormField("mergeToken", "Merge token of a preview", value: token, isRequired: true)], isDangerous: true,
            notice: "The accounts were merged."
        ) { input in
            try context.catalog.call(
                "mergeAccounts", in: context.realm, body: ["mergeToken": .string(input["mergeToken"])])
        }
    }

    private static func previewBlocks(
        _ result: APIResult, _ account: AccountSummary, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let moves = result.json?["moves"]
        let members = ["email", "phoneNumber", "displayName", "photoUrl"].filter { moves?[.init($0)].isTrue == true }
        let moved = (moves?["providers"]).elements.compactMap(\.text) + members
        let dropped = (result.json?["drops"]).elements.compactMap(\.text)
        let list = { (names: [String]) -> Markup in .text(names.isEmpty ? "nothing" : names.joined(separator: ", ")) }
        return [
            .markup(
                .details([
                    ("Moves to this account", list(moved)), ("Is lost", list(dropped)),
                    ("Undo", .text("for a week, unless the accounts have changed")),
                ])),
            .form(mergeForm(account, token: result.json?["mergeToken"]?.text ?? "", context)),
            .markup(Markup(.p, [.link(context.accountPath(account.id), .text("Do not merge"))])),
        ]
    }

    /// The account that was merged into this one last, unless the merge was undone; `nil` if the listed events have none.
    private static func lastMerged(_ events: APIResult) -> String? {
        let merges = (events.json?["auditEvents"]).elements.filter {
            ["account.merged", "account.mergeUndone"].containsExactly($0["action"]?.text ?? "")
                && $0["detail"]?["source"] != nil
        }
        guard let last = merges.first, last["action"]?.text?.isExactly("account.merged") == true else { return nil }
        return last["detail"]?["source"]?.text
    }

    private static func undoForm(_ events: APIResult, _ context: ScreenContext) -> Form {
        Form(
            "undo-merge", button: "Undo a merge",
            [
                FormField(
                    "sourceLocalId", "ID of the merged account", value: lastMerged(events) ?? "", isRequired: true,
                    hint: "The audit trail has it, as the source of the event account.merged."),
                FormField("allowNoSignInMethod", "Also if no way to sign in remains here", .checkbox),
            ], isDangerous: true, notice: "The merge was undone. Both accounts exist again."
        ) { input in
            var body: JSONObject = ["sourceLocalId": .string(input["sourceLocalId"])]
            if input.isChecked("allowNoSignInMethod") { body["allowNoSignInMethod"] = .bool(true) }
            return try context.catalog.call("undoMerge", in: context.realm, body: body)
        }
    }

    /// The forms that send an email to the account's address.
    static func emailBlocks(_ account: AccountSummary, _ context: ScreenContext) -> [ScreenBlock] {
        guard let email = account.email else { return [.paragraph("The account has no email address.")] }
        func form(_ id: String, _ button: String, _ type: String) -> ScreenBlock {
            .form(
                Form(id, button: button, notice: "The email was sent.") { _ in
                    try context.catalog.call(
                        "sendProjectOobCode", in: context.realm,
                        body: ["requestType": .string(type), "email": .string(email)])
                })
        }
        let reset = form("send-reset", "Send a password reset", "PASSWORD_RESET")
        return account.emailIsVerified
            ? [reset] : [form("send-verification", "Send an email that verifies the address", "VERIFY_EMAIL"), reset]
    }
}
