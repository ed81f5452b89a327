internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON
internal import Simulators

extension StartPages {
    /// One person at the simulated providers: the person's accounts, sign-in to the app, and what the person does at
    /// Apple with each app.
    func personScreen(_ id: String, _ context: ScreenContext) async throws -> Screen {
        guard let person = simulators.people.all.first(where: { $0.id.isExactly(id) }) else {
            return .notFound("There is no such person", "The gateway keeps the last 100 people in memory.")
        }
        let found = try await context.perform(try accountsCall(of: person, context))
        let accounts = AccountSummary.all(in: found)
        return Screen(
            person.title,
            [
                .markup(Self.links([("All people", Self.path("/dev/people", context.realm))])),
                .columns([
                    .section(
                        "Accounts of this person",
                        found.isSuccess
                            ? [.markup(accountList(accounts, of: person, context))] : [.problem(context.problem(found))]
                    ),
                    .section("Sign in to your app as this person", try await signInBlocks(person, context)),
                ]),
                .section("Apps that use Sign in with Apple", appleBlocks(person, accounts, context)),
                .section("Person", [.form(personForm(person, "person", button: "Save person", context))]),
            ])
    }

    static func path(of person: SimulatedPerson, _ realm: RealmName) -> String {
        path("/dev/people/person", realm, [("id", person.id)])
    }

    /// The request for the accounts to which the person's identities belong.
    private func accountsCall(of person: SimulatedPerson, _ context: ScreenContext) throws -> APICall {
        let identities = simulators.identities(of: person).map { identity in
            JSONValue.object([
                "providerId": .string(identity.provider.rawValue), "rawId": .string(identity.subject),
            ])
        }
        return try context.catalog.call(
            "lookUpAccounts", in: context.realm, body: ["federatedUserId": .array(identities)])
    }

    private func accountList(
        _ accounts: [AccountSummary], of person: SimulatedPerson, _ context: ScreenContext
    ) -> Markup {
        guard !accounts.isEmpty else { return Markup(.p, text: "None in this project or tenant.") }
        return Markup(
            .ul, [.classes(["rows"])],
            accounts.map { account in
                let identities = account.identities.filter { simulators.isIdentity($0, of: person) }
                return Markup(
                    .li,
                    [
                        .link(context.accountPath(account.id), .isolated(account.title.shortened(to: 60))),
                        .text(identities.map(\.provider).joined(separator: ", ")),
                    ] + (identities.contains(where: \.isDisconnected) ? [.tag("disconnected")] : []))
            })
    }

    /// The section of an account's page with links to the simulated people whose identities the account has.
    func personSection(of account: AccountSummary, _ context: ScreenContext) -> [ScreenBlock] {
        let people = simulators.people.all.filter { person in
            account.identities.contains { simulators.isIdentity($0, of: person) }
        }
        guard !people.isEmpty else { return [] }
        return [
            .section(
                "People at the simulated providers",
                [
                    .markup(
                        Markup(
                            .p, [.classes(["links"])],
                            people.flatMap {
                                [.link(Self.path(of: $0, context.realm), .isolated($0.title)), .text(" ")]
                            }))
                ])
        ]
    }

    private func appleBlocks(
        _ person: SimulatedPerson, _ accounts: [AccountSummary], _ context: ScreenContext
    ) -> [ScreenBlock] {
        let consents = simulators.apple.consents(of: person)
        let apps = consents.map { consent in
            let isForwarding = isForwarding(to: person, consent.clientID, accounts)
            // Apple's relay forwards only to people who hide their own address.
            let hasRelay = consent.email.map { !$0.isExactly(person.email ?? "") } ?? false
            let relay = hasRelay ? [("Relay", Markup.tag(isForwarding ? "forwards" : "stopped"))] : []
            return ScreenBlock.section(
                consent.clientID,
                [.markup(.details([("Address for the app", .isolated(consent.email ?? "none"))] + relay))]
                    + appleActions(person, consent.clientID, relay: hasRelay ? isForwarding : nil, context)
                    .map(ScreenBlock.form))
        }
        let ended = endedConsents(of: person, except: consents.map(\.clientID), context)
        guard !apps.isEmpty || !ended.isEmpty else {
            return [.paragraph("This person has not signed in to an app with Apple yet.")]
        }
        return (apps.isEmpty ? [] : [.columns(apps)]) + ended
    }

    /// Whether the relay forwards email, according to Apple's latest notification about the account.
    private func isForwarding(to person: SimulatedPerson, _ client: String, _ accounts: [AccountSummary]) -> Bool {
        let subject = SimulatedApple.subject(of: person, in: simulators.apple.team(of: client))
        return !accounts.flatMap(\.identities).contains {
            $0.subject?.isExactly(subject) == true && $0.isForwarding == false
        }
    }

    /// The apps that the person has disconnected, each with the time of the latest notification.
    private func endedConsents(
        of person: SimulatedPerson, except clients: [String], _ context: ScreenContext
    ) -> [ScreenBlock] {
        var listed = Set(clients.map { ByteText($0) })
        let entries = simulators.notificationHistory.all.filter { entry in
            [.consentRevoked, .accountDelete].contains(entry.action.event)
                && entry.action.person.id.isExactly(person.id)
                && listed.insert(ByteText(entry.action.clientID)).inserted
        }
        return entries.map { entry in
            .markup(
                Markup(
                    .p,
                    [
                        .isolated(entry.action.clientID), .text(" "), .tag("disconnected"), .text(" "),
                        .time(entry.time.milliseconds, now: context.now),
                        .text(" Sessions that existed then have ended. The next sign-in is like the first."),
                    ]))
        }
    }

    /// - Parameter relay: whether the relay forwards email; `nil` if the person does not use it.
    private func appleActions(
        _ person: SimulatedPerson, _ client: String, relay: Bool?, _ context: ScreenContext
    ) -> [Form] {
        func action(
            _ name: String, _ button: String, _ fields: [FormField] = [], isDangerous: Bool = false, notice: String,
            _ members: JSONObject
        ) -> Form {
            Form("\(name)-\(client)", button: button, fields, isDangerous: isDangerous, notice: notice) { _ in
                Self.simulatorCall(
                    ["apple": .object(members.merging(["clientId": .string(client)]) { $1 })], context)
            }
        }
        let input = JSONValue.object(Self.members(of: person))
        let relayForms = relay.map { isForwarding in
            action(
                "relay", isForwarding ? "Stop the relay" : "Resume the relay", notice: "The relay was changed.",
                ["relay": .object(["person": input, "forwards": .bool(!isForwarding)])])
        }
        return [relayForms].compactMap(\.self) + [
            action(
                "disconnect", "Disconnect the app", isDangerous: true,
                notice: "The person no longer uses Sign in with Apple for the app.", ["disconnect": input]),
            action(
                "delete-apple-account", "Delete the Apple Account",
                [FormField("confirmed", "Delete the person's Apple Account", .checkbox, isRequired: true)],
                isDangerous: true, notice: "The person has deleted the Apple Account.", ["deleteAccount": input]),
        ]
    }

    static func members(of person: SimulatedPerson) -> JSONObject {
        var members: JSONObject = ["id": .string(person.id), "hidesEmail": .bool(person.hidesEmail)]
        members["givenName"] = person.givenName.map(JSONValue.string)
        members["familyName"] = person.familyName.map(JSONValue.string)
        members["email"] = person.email.map(JSONValue.string)
        return members
    }
}

extension DevSimulators {
    /// The identities that a person has, or would have after a sign-in: one for each team at Apple, one at each other
    /// provider.
    func identities(of person: SimulatedPerson) -> [(provider: ProviderID, subject: String)] {
        apple.teams.map { (.apple, SimulatedApple.subject(of: person, in: $0)) }
            + others.map { ($0.provider, type(of: $0.simulator).subject(of: person)) }
    }

    func isIdentity(_ identity: AccountSummary.Identity, of person: SimulatedPerson) -> Bool {
        guard let subject = identity.subject else { return false }
        return identities(of: person).contains {
            $0.provider.rawValue.isExactly(identity.provider) && $0.subject.isExactly(subject)
        }
    }
}
