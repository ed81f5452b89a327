internal import Console
internal import Encoding
internal import HTML
internal import JSON
internal import Simulators

extension StartPages {
    /// One person at the simulated providers, and what the person does at Apple with each app.
    func personScreen(_ id: String, _ context: ScreenContext) -> Screen {
        guard let person = simulators.people.all.first(where: { $0.id.isExactly(id) }) else {
            return .notFound("There is no such person", "The gateway keeps the last 100 people in memory.")
        }
        let consents = simulators.apple.consents(of: person)
        let apps = consents.map { consent in
            ScreenBlock.section(
                consent.clientID,
                [.markup(.details([("Address for the app", .isolated(consent.email ?? "none"))]))]
                    + appleActions(person, consent.clientID, context).map(ScreenBlock.form))
        }
        let others: [ScreenBlock] =
            consents.isEmpty
            ? [.paragraph("This person has not signed in to an app with Apple yet.")] : [.columns(apps)]
        return Screen(
            person.title,
            notices: [
                "disconnect-": "The person no longer uses Sign in with Apple for the app.",
                "delete-apple-account-": "The person has deleted the Apple Account.",
            ],
            [
                .markup(Self.links([("All people", Self.path("/dev/people", context.realm))])),
                .section("Apps that use Sign in with Apple", others),
                .section("Person", [.form(personForm(person, "person", button: "Save person", context))]),
            ])
    }

    private func appleActions(_ person: SimulatedPerson, _ client: String, _ context: ScreenContext) -> [Form] {
        func action(
            _ name: String, _ button: String, isDangerous: Bool = false, notice: String, _ members: JSONObject
        ) -> Form {
            Form("\(name)-\(client)", button: button, isDangerous: isDangerous, notice: notice) { _ in
                Self.simulatorCall(
                    ["apple": .object(members.merging(["clientId": .string(client)]) { $1 })], context)
            }
        }
        let input = JSONValue.object(Self.members(of: person))
        func relay(_ forwards: Bool) -> JSONObject {
            ["relay": .object(["person": input, "forwards": .bool(forwards)])]
        }
        return [
            action("stop-relay", "Stop the relay", notice: "The relay no longer forwards email.", relay(false)),
            action("resume-relay", "Resume the relay", notice: "The relay forwards email again.", relay(true)),
            action(
                "disconnect", "Disconnect the app", isDangerous: true,
                notice: "The person no longer uses Sign in with Apple for the app.", ["disconnect": input]),
            action(
                "delete-apple-account", "Delete the Apple Account", isDangerous: true,
                notice: "The person has deleted the Apple Account.", ["deleteAccount": input]),
        ]
    }

    private static func members(of person: SimulatedPerson) -> JSONObject {
        var members: JSONObject = ["id": .string(person.id), "hidesEmail": .bool(person.hidesEmail)]
        members["givenName"] = person.givenName.map(JSONValue.string)
        members["familyName"] = person.familyName.map(JSONValue.string)
        members["email"] = person.email.map(JSONValue.string)
        return members
    }
}
