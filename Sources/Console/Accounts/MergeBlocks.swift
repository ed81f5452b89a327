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
        var preview = Form(
            "merge-preview", button: "Preview the merge",
            [
                FormField(
                    "sourceLocalId", "ID or email address of the other account", isRequired: true,
                    hint: "The other account is deleted, and this one gets its sign-in methods.")
            ], operation: "mergeAccounts", notice: "Preview of the merge",
            followUp: { found, _ in
                guard let source = AccountSummary.all(in: found).first else {
                    throw Form.InvalidField("sourceLocalId", "No account here has this ID or email address.")
                }
                return try context.catalog.call(
                    "mergeAccounts", in: context.realm,
                    body: [
                        "sourceLocalId": .string(source.id), "localId": .string(account.id), "dryRun": .bool(true),
                    ])
            }
        ) { input in
            let text = input["sourceLocalId"].trimmed
            let member: ByteText = text.utf8.contains(UInt8(ascii: "@")) ? "email" : "localId"
            return try context.catalog.call(
                "lookUpAccounts", in: context.realm, body: [member: .array([.string(text)])])
        }
        preview.resultsMarkup = { found, result in
            AccountSummary.all(in: found).first.map { previewBlocks(result, from: $0, to: account, context) } ?? []
        }
        var merge = mergeForm(token: "", context)
        merge.isOnResultPage = true
        return [.form(preview), .form(merge), .form(undoForm(events, context))]
    }

    /// The form that commits a previewed merge. Only the preview shows it, with its token.
    private static func mergeForm(token: String, _ context: ScreenContext) -> Form {
        Form(
            "merge", button: "Merge the accounts", [FormField("mergeToken", "", .hidden, value: token)],
            isDangerous: true, notice: "The accounts were merged."
        ) { input in
            try context.catalog.call(
                "mergeAccounts", in: context.realm, body: ["mergeToken": .string(input["mergeToken"])])
        }
    }

    private static func previewBlocks(
        _ result: APIResult, from source: AccountSummary, to account: AccountSummary, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let moves = result.json?["moves"]
        let members = ["email", "phoneNumber", "displayName", "photoUrl"].filter { moves?[.init($0)].isTrue == true }
        let moved = (moves?["providers"]).elements.compactMap(\.text) + members
        let dropped = (result.json?["drops"]).elements.compactMap(\.text)
        let list = { (names: [String]) -> Markup in
            .isolated(names.isEmpty ? "nothing" : names.map { words(for: $0, of: source) }.joined(separator: ", "))
        }
        let name = { (account: AccountSummary) -> Markup in
            .group([.isolated(account.title), .text(" (ID "), Markup(.code, text: account.id), .text(")")])
        }
        return [
            .markup(
                .details([
                    ("Is deleted", name(source)), ("Remains", name(account)),
                    ("The remaining account gets", list(moved)), ("Is lost", list(dropped)),
                    ("Undo", .text("for a week, unless a later change stands against it")),
                ])),
            .form(mergeForm(token: result.json?["mergeToken"]?.text ?? "", context)),
            .markup(Markup(.p, [.link(context.accountPath(account.id), .text("Do not merge"))])),
        ]
    }

    /// A member that a merge moves or drops, with its value in the account that is deleted.
    private static func words(for member: String, of account: AccountSummary) -> String {
        let (name, value): (String, String?) =
            switch member {
            case "email": ("the email address", account.email)
            case "phoneNumber": ("the telephone number", account.phoneNumber)
            case "displayName": ("the name", account.displayName)
            case "photoUrl": ("the picture", nil)
            case "password": ("the password", nil)
            default: (Words.method(member), nil)
            }
        return value.map { "\(name) \($0)" } ?? name
    }

    /// The account that was merged into this one last, unless the merge was undone; `nil` if the listed events have
    /// none.
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
