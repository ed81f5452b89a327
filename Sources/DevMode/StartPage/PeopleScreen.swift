internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON
internal import Providers
internal import Simulators

extension StartPages {
    /// The people at the simulated providers, and the behaviour of the providers.
    func peopleScreen(_ context: ScreenContext) async throws -> Screen {
        let rows = simulators.people.all.prefix(25).map { person in
            [
                Markup.link(
                    Self.path(of: person, context.realm), .isolated(person.title)),
                .isolated(person.email ?? "no email address"),
                .group(person.hidesEmail ? [.tag("hides email")] : []),
                .text(simulators.apple.consents(of: person).map(\.clientID).joined(separator: ", ")),
            ]
        }
        return Screen(
            "People",
            [
                .section(
                    "People at the simulated providers",
                    [
                        .paragraph(
                            "Sign a person in on the person's page, or on the page that your app opens. The list has the last 25."
                        ),
                        .markup(.table("People", ["Person", "Email address", "Apple", "Apps at Apple"], rows)),
                        .details(
                            "New person",
                            [
                                .form(
                                    personForm(
                                        SimulatedPerson(id: ""), "create-person", button: "Create person", context))
                            ]),
                    ]),
                .columns(
                    [.section("Simulated Apple", appleForms(context).map(ScreenBlock.form))]
                        + simulators.others.map { Self.section(of: type(of: $0.simulator), context) }),
                .section("All simulators", [.form(Self.resetForm(context))]),
                .section("Notifications that Apple sent", [.markup(notificationList(context))]),
            ])
    }

    private func notificationList(_ context: ScreenContext) -> Markup {
        let entries = simulators.notificationHistory.all
        guard !entries.isEmpty else {
            return Markup(.p, text: "None yet. Apple sends one when a person disconnects an app, for example.")
        }
        return .table(
            "Notifications", ["Event", "Person", "App", "Response", "Time"],
            entries.map { entry in
                [
                    .text(entry.notification.type), .isolated(entry.action.person.title),
                    .text(entry.action.clientID), .text(entry.notification.status.map(String.init) ?? "none"),
                    .time(entry.time.milliseconds, now: context.now),
                ]
            })
    }

    /// The form that creates a person or changes one.
    func personForm(
        _ person: SimulatedPerson, _ id: String, button: String, _ context: ScreenContext
    ) -> Form {
        Form(
            id, button: button,
            [
                FormField("givenName", "Given name", value: person.givenName ?? ""),
                FormField("familyName", "Family name", value: person.familyName ?? ""),
                FormField("email", "Email address", .email, value: person.email ?? ""),
                FormField(
                    "emailVerified", "The provider has verified the address", .checkbox,
                    value: person.emailIsVerified ? "true" : ""),
                FormField(
                    "hidesEmail", "Hide the email address from apps (Apple)", .checkbox,
                    value: person.hidesEmail ? "true" : ""),
                FormField(
                    "hostedDomain", "Domain of the person's organisation", value: person.hostedDomain ?? ""),
                FormField(
                    "realUserStatus", "Real user status (Apple)",
                    .choice([.init("2", "likely real"), .init("1", "unknown"), .init("0", "unsupported")]),
                    value: "\(person.realUserStatus.rawValue)"),
            ], notice: "The person was saved."
        ) { input in
            var members: JSONObject = [
                "emailVerified": .bool(input.isChecked("emailVerified")),
                "hidesEmail": .bool(input.isChecked("hidesEmail")),
                "realUserStatus": .integer(Int64(input["realUserStatus"]) ?? 2),
            ]
            if !person.id.isEmpty { members["id"] = .string(person.id) }
            let texts: [ByteText] = ["givenName", "familyName", "email", "hostedDomain"]
            for name in texts where !input[name].isEmpty { members[name] = .string(input[name]) }
            guard members["id"] != nil || texts.contains(where: { members[$0] != nil }) || person.id.isEmpty else {
                throw Form.InvalidField("givenName", "Enter a name or an email address.")
            }
            return Self.simulatorCall(["people": .array([.object(members)])], context)
        }
    }

    static func simulatorCall(_ body: JSONObject, _ context: ScreenContext) -> APICall {
        APICall(
            .patch, "/emulator/v1/projects/\(PercentEncoding.encode(context.realm.project))/simulators", body: body,
            credential: .none)
    }

    private static let faults: [FormField.Choice] = [
        .init("none", "none"), .init("outage", "outage (status 503)"), .init("slow", "slow (one second)"),
        .init("silent", "no response"), .init("html", "HTML instead of JSON"),
        .init("tooManyRequests", "too many requests (429)"), .init("brokenJSON", "broken JSON"),
    ]

    private static func faultForm(_ provider: ByteText, _ name: String, _ context: ScreenContext) -> Form {
        Form(
            "fault-\(provider)", button: "Set fault of \(name)",
            [FormField("fault", "Fault", .choice(faults), value: "none")],
            notice: "The fault of \(name) was set."
        ) { input in
            simulatorCall([provider: .object(["fault": .string(input["fault"])])], context)
        }
    }

    private static func rotationForm(_ provider: ByteText, _ name: String, _ context: ScreenContext) -> Form {
        Form(
            "rotate-\(provider)", button: "Rotate keys of \(name)",
            [FormField("dropOldKeys", "Remove the old keys", .checkbox)], notice: "\(name) signs with a new key."
        ) { input in
            simulatorCall(
                [
                    provider: .object([
                        "rotateKeys": .bool(true), "dropOldKeys": .bool(input.isChecked("dropOldKeys")),
                    ])
                ], context)
        }
    }

    private func appleForms(_ context: ScreenContext) -> [Form] {
        [
            Self.faultForm("apple", "Apple", context), Self.rotationForm("apple", "Apple", context),
            Form(
                "transfer", button: "Transfer the app",
                [
                    FormField("clientId", "Client ID of the app", value: "com.example.app", isRequired: true),
                    FormField(
                        "transferToTeam", "New team ID", value: "TEAM654321", isRequired: true,
                        hint: "Ten capital letters or digits. Subjects and relay addresses change at once."),
                ], notice: "The app belongs to another team."
            ) { input in
                Self.simulatorCall(
                    [
                        "apple": .object([
                            "clientId": .string(input["clientId"]), "transferToTeam": .string(input["transferToTeam"]),
                        ])
                    ], context)
            },
        ]
    }

    private static func section(of simulator: any DevSimulator.Type, _ context: ScreenContext) -> ScreenBlock {
        let member = ByteText(simulator.memberName)
        let name = SupportedProviders.live[simulator.provider]?.displayName ?? simulator.memberName
        return .section(
            "Simulated \(name)",
            [.form(faultForm(member, name, context)), .form(rotationForm(member, name, context))])
    }

    private static func resetForm(_ context: ScreenContext) -> Form {
        Form("reset-simulators", button: "Reset all simulators", notice: "The providers behave as at the start.") { _ in
            simulatorCall(["reset": .bool(true)], context)
        }
    }
}

extension SimulatedPerson {
    /// The name, or the ID of a person without a name.
    var title: String {
        let name = [givenName, familyName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? id : name
    }
}
