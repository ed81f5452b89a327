internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import JSON

extension StartPages {
    /// Exports, imports, creates and deletes the accounts of a project or tenant.
    func dataScreen(_ context: ScreenContext) async throws -> Screen {
        Screen(
            "Data",
            [
                .columns([
                    .section(
                        "Export",
                        [
                            .paragraph(
                                "A file with the accounts and the configuration, without passwords and secrets."),
                            .markup(
                                Markup(
                                    .p,
                                    [
                                        Markup(
                                            .a,
                                            [
                                                .classes(["button"]), .download(Self.fileName(context.realm)),
                                                .href(URLReference(Self.path("/dev/data/export", context.realm))),
                                            ], text: "Export")
                                    ])),
                        ]),
                    .section(
                        "Import",
                        [
                            .form(importForm(context)),
                            .paragraph(
                                "In the folder of the file, this command imports up to 1000 accounts and 4 MiB:"),
                            .markup(.commandLine(try Self.importCommand(context))),
                        ]),
                    .section(
                        "Sample accounts",
                        [
                            .paragraph("20 accounts with different names, states and sign-in methods."),
                            .form(sampleForm(context)),
                        ]),
                    .section("Reset", [.form(resetForm(context))]),
                ])
            ])
    }

    private func importForm(_ context: ScreenContext) -> Form {
        Form(
            "import", button: "Import accounts",
            [
                FormField(
                    "accounts", "Content of an exported file, or a JSON object with users", .lines(6), isRequired: true,
                    hint: "At most 40 KiB. For a larger file, use the command below.")
            ], notice: "The import", resultMarkup: { [context] in Self.importReport($0, of: $1, context) }
        ) { input in
            let text = Array(input["accounts"].utf8)
            // An empty form is shown with the command line for no users.
            let value = text.isEmpty ? .object([:]) : try Self.importedValue(text)
            return try Self.batchCreate(
                value["users"].elements, dropsFactors: value["dropsTotpFactors"].isTrue, context)
        }
    }

    private static func importedValue(_ text: [UInt8]) throws -> JSONValue {
        do {
            return try StrictJSON.decode(JSONValue.self, from: text)
        } catch let fault as JSONFault {
            throw Form.InvalidField("accounts", "This is not JSON: \(fault.description(in: text)).")
        }
    }

    private static func batchCreate(
        _ users: [JSONValue], dropsFactors: Bool, _ context: ScreenContext
    ) throws -> APICall {
        try context.catalog.call(
            "batchCreateAccounts", in: context.realm,
            body: ["users": .array(users.map(importable)), "dropsTotpFactors": .bool(dropsFactors)])
    }

    /// The command that imports an exported file, whose members other than the accounts have no effect.
    private static func importCommand(_ context: ScreenContext) throws -> String {
        let call = try batchCreate([], dropsFactors: true, context)
        return "curl \(CurlCommand.quoted(context.origin + call.path)) \\\n"
            + "  -H 'Authorization: Bearer \(context.bearer)' -H 'Content-Type: application/json' \\\n"
            + "  --data-binary @\(fileName(context.realm))"
    }

    /// The name of the file with the accounts of a project or tenant. Their IDs are valid in names of files.
    private static func fileName(_ realm: RealmName) -> String {
        [realm.project, realm.tenant].compactMap(\.self).joined(separator: "-") + ".json"
    }

    /// An account as the import accepts it. The text in place of a hash is not a hash.
    private static func importable(_ user: JSONValue) -> JSONValue {
        guard case .object(var members) = user else { return user }
        for name in [
            "passwordHash", "tenantId", "passwordUpdatedAt", "emailLinkSignin", "customAuth", "initialEmail",
            "lastRefreshAt",
        ] as [ByteText] {
            members[name] = nil
        }
        if case .array(let identities)? = members["providerUserInfo"] {
            let linked = identities.filter { !["password", "phone"].containsExactly($0["providerId"]?.text ?? "") }
            members["providerUserInfo"] = linked.isEmpty ? nil : .array(linked)
        }
        return .object(members)
    }

    private static func importReport(
        _ result: APIResult, of call: APICall, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let users = (call.body?["users"]).elements
        let errors = (result.json?["error"]).elements
        let rows = errors.prefix(50).map { error -> [Markup] in
            let index = (error["index"]?.text).flatMap { Int($0) } ?? 0
            let user = users.indices.contains(index) ? users[index] : .null
            return [
                .text("\(index + 1)"),
                .isolated((user["localId"]?.text ?? user["email"]?.text ?? "").shortened(to: 128)),
                .isolated(error["message"]?.text ?? ""),
            ]
        }
        let failures: [ScreenBlock] =
            errors.isEmpty
            ? []
            : [
                .section(
                    "\(errors.count) accounts were not imported",
                    [
                        .markup(
                            .table(
                                "Accounts that were not imported", ["Number", "ID or email address", "Reason"], rows))
                    ]
                        + (errors.count > rows.count ? [.paragraph("The list has the first \(rows.count).")] : []))
            ]
        return [.paragraph("\(users.count - errors.count) of \(users.count) accounts were imported.")] + failures + [
            .markup(
                links([("Accounts", context.consolePath(["accounts"])), ("Data", path("/dev/data", context.realm))]))
        ]
    }

    private func sampleForm(_ context: ScreenContext) -> Form {
        Form(
            "samples", button: "Create sample accounts", notice: "The sample accounts",
            resultMarkup: { [context] in Self.importReport($0, of: $1, context) }
        ) { _ in
            try Self.batchCreate(SampleAccounts.users(at: simulators), dropsFactors: false, context)
        }
    }

    private func resetForm(_ context: ScreenContext) -> Form {
        let name = context.realm.tenant ?? context.realm.project
        return Form(
            "clear", button: "Delete all accounts",
            [
                FormField(
                    "confirmation", "Type \(name) to delete all its accounts", isRequired: true,
                    hint: "This cannot be undone. The configuration, the emails and the people stay.")
            ], isDangerous: true, notice: "All accounts were deleted."
        ) { input in
            // An empty form is shown with its command line.
            guard input["confirmation"].isExactly(name) || input["confirmation"].isEmpty && !input.isSubmitted else {
                throw Form.InvalidField("confirmation", "Type \(name) exactly.")
            }
            let tenant = context.realm.tenant.map { "/tenants/\(PercentEncoding.encode($0))" } ?? ""
            return APICall(
                .delete,
                "/emulator/v1/projects/\(PercentEncoding.encode(context.realm.project))\(tenant)/accounts",
                credential: .none)
        }
    }

    /// The maximum number of exported accounts.
    private static let exportLimit = 10_000

    /// Returns the accounts and the configuration of a project or tenant as a file. The member `isTruncated` states
    /// whether there are more accounts than in the file.
    ///
    /// - Throws: ``FailedExport``.
    func exportedData(_ context: ScreenContext) async throws -> Response {
        func content(_ operation: String, in realm: RealmName, _ query: [APICall.Parameter] = []) async throws
            -> JSONValue
        {
            let result = try await context.perform(try context.catalog.call(operation, in: realm, query: query))
            guard result.isSuccess, let json = result.json else { throw FailedExport(message: result.errorMessage) }
            return json
        }

        var users: [JSONValue] = []
        var token: String?
        repeat {
            let query = [APICall.Parameter("maxResults", "1000")] + (token.map { [.init("nextPageToken", $0)] } ?? [])
            let page = try await content("batchGetAccounts", in: context.realm, query)
            users += page["users"].elements
            token = page["nextPageToken"]?.text
        } while token != nil && users.count < Self.exportLimit
        let project = RealmName(project: context.realm.project, tenant: nil)
        let providers = try await content("listDefaultSupportedIdpConfigs", in: context.realm)
        let file: JSONObject = [
            "users": .array(users.map(Self.importable)), "isTruncated": .bool(token != nil),
            // One-time passwords are exported without their secrets, so an import omits them.
            "dropsTotpFactors": .bool(true),
            "config": try await content("getProjectConfig", in: project),
            "providers": providers["defaultSupportedIdpConfigs"] ?? .array([]),
        ]
        return Response(
            status: 200,
            headers: [
                "Content-Type": "application/json; charset=UTF-8", "Cross-Origin-Resource-Policy": "same-origin",
                "Content-Disposition": "attachment; filename=\"\(Self.fileName(context.realm))\"",
                "Cache-Control": "no-store",
            ], body: try StrictJSON.encode(file))
    }
}

/// A request for the content of an exported file failed.
struct FailedExport: Error {
    let message: String
}
