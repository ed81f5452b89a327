internal import Encoding
internal import HTML
internal import JSON

/// A member of a configuration that is a checkbox.
private struct Switch {
    /// The names of the members that lead to it, for example `signIn`, `email`, `enabled`.
    let path: [String]
    let label: String

    init(_ path: String, _ label: String) {
        self.path = path.split(separator: ".").map(String.init)
        self.label = label
    }

    var name: String { path.joined(separator: ".") }

    func isOn(in configuration: JSONValue) -> Bool {
        path.reduce(configuration as JSONValue?) { $0?[ByteText($1)] }.isTrue
    }
}

/// Shows and changes what a project or tenant allows.
package enum PoliciesScreen {
    private static let projectSwitches = [
        Switch("signIn.email.enabled", "Sign-in by email address"),
        Switch("signIn.email.passwordRequired", "Only with a password, not by email link"),
        Switch("signIn.anonymous.enabled", "Guests (anonymous sign-in)"),
        Switch("signIn.allowDuplicateEmails", "Several accounts with one email address"),
        Switch("emailPrivacyConfig.enableImprovedEmailPrivacy", "Email enumeration protection"),
        Switch("client.permissions.disabledUserSignup", "Only administrators create accounts"),
        Switch("client.permissions.disabledUserDeletion", "Only administrators delete accounts"),
        Switch("autodeleteAnonymousUsers", "Delete guests after 30 days"),
    ]

    private static let tenantSwitches = [
        Switch("allowPasswordSignup", "Sign-in by password"),
        Switch("enableEmailLinkSignin", "Sign-in by email link"),
        Switch("enableAnonymousUser", "Guests (anonymous sign-in)"),
        Switch("disableAuth", "The tenant is disabled"),
        Switch("emailPrivacyConfig.enableImprovedEmailPrivacy", "Email enumeration protection"),
        Switch("client.permissions.disabledUserSignup", "Only administrators create accounts"),
        Switch("client.permissions.disabledUserDeletion", "Only administrators delete accounts"),
        Switch("autodeleteAnonymousUsers", "Delete guests after 30 days"),
    ]

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let result = try await context.perform(try call("get", [:], context))
        guard let configuration = result.json, result.isSuccess else {
            return Screen("Settings", status: 400, [.problem(context.problem(result))])
        }
        let switches = context.realm.tenant == nil ? projectSwitches : tenantSwitches
        var blocks: [ScreenBlock] = [
            .markup(SettingsTabs.markup("Policies", context)),
            .section("What users can do", [.form(form(switches, configuration, context))]),
        ]
        if context.realm.tenant == nil {
            blocks.append(.section("Authorized domains", [.form(domainsForm(configuration, context))]))
        }
        return Screen("Settings", blocks)
    }

    private static func form(
        _ switches: [Switch], _ configuration: JSONValue, _ context: ScreenContext
    ) -> Form {
        Form(
            "policies", button: "Save policies",
            switches.map { FormField($0.name, $0.label, .checkbox, value: $0.isOn(in: configuration) ? "true" : "") },
            editsStoredValues: true, notice: "The policies were saved."
        ) { input in
            let changed = switches.filter { input.isChanged(ByteText($0.name)) }
            var body: JSONObject = [:]
            for one in changed {
                body = merged(body, at: one.path[...], .bool(input.isChecked(ByteText(one.name))))
            }
            return try call("update", body, context, mask: changed.map(\.name))
        }
    }

    private static func domainsForm(_ configuration: JSONValue, _ context: ScreenContext) -> Form {
        let domains = configuration["authorizedDomains"].elements.compactMap(\.text)
        return Form(
            "domains", button: "Save domains",
            [
                FormField(
                    "authorizedDomains", "Domains to which links may lead, one on each line", .lines(4),
                    value: domains.joined(separator: "\n"))
            ], editsStoredValues: true, scopes: ["trust"], notice: "The domains were saved."
        ) { input in
            try call(
                "update", ["authorizedDomains": .array(input.lines("authorizedDomains").map(JSONValue.string))],
                context, mask: ["authorizedDomains"])
        }
    }

    /// Returns the operation that reads or changes the configuration of the project or tenant.
    private static func call(
        _ verb: String, _ body: JSONObject, _ context: ScreenContext, mask: [String] = []
    ) throws -> APICall {
        let project = RealmName(project: context.realm.project, tenant: nil)
        return try context.catalog.call(
            context.realm.tenant == nil ? "\(verb)ProjectConfig" : "\(verb)Tenant", in: project,
            parameters: context.realm.tenant.map { ["tenant": $0] } ?? [:],
            query: mask.isEmpty ? [] : [.init("updateMask", mask.joined(separator: ","))],
            body: mask.isEmpty ? nil : body)
    }

    private static func merged(_ object: JSONObject, at path: ArraySlice<String>, _ value: JSONValue) -> JSONObject {
        guard let first = path.first.map({ ByteText($0) }) else { return object }
        var object = object
        if path.count == 1 {
            object[first] = value
        } else {
            let inner: JSONObject = if case .object(let members)? = object[first] { members } else { [:] }
            object[first] = .object(merged(inner, at: path.dropFirst(), value))
        }
        return object
    }
}

extension FormInput {
    /// The lines of a field that are not empty, without surrounding spaces.
    func lines(_ name: ByteText) -> [String] {
        self[name].split { $0.isNewline }.map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}
