internal import Encoding
internal import Identity
internal import JSON
internal import Simulators

/// Accounts with different names, states and sign-in methods. Their IDs are constant, so that a second import changes
/// them instead of adding others.
enum SampleAccounts {
    /// The password of the accounts that have one.
    private static let password = "correct horse"

    private static let names = [
        "Katherine Johnson", "Hedy Lamarr", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth", "Radia Perlman",
        "Tim Berners-Lee", "Margaret Hamilton", "山田 花子", "محمد الخوارزمي", "Zoë Müller", "Jean Bartik",
        "Ken Thompson",
    ]

    /// Five accounts of people at the simulated providers, 13 with passwords, phone numbers or only an address, and two
    /// guests.
    static func users(at simulators: DevSimulators) -> [JSONValue] {
        let people: [(SimulatedPerson, [ProviderID])] = [
            (.ada, [.apple]), (.grace, [.apple]), (.alan, [.apple]),
            (.emmy, simulators.others.map(\.provider)), (.mary, [.apple] + simulators.others.map(\.provider)),
        ]
        return people.enumerated().map { .object(user($0.offset, $0.element.0, at: $0.element.1, simulators)) }
            + names.enumerated().map { .object(user($0.offset, named: $0.element)) }
            + (1...2).map { .object(["localId": .string("sample-guest-\($0)")]) }
    }

    private static func user(
        _ index: Int, _ person: SimulatedPerson, at providers: [ProviderID], _ simulators: DevSimulators
    ) -> JSONObject {
        var user: JSONObject = [
            "localId": .string("sample-\(index + 1)"), "displayName": .string(person.title),
            "customAttributes": .string(index == 0 ? #"{"role":"admin"}"# : "{}"),
        ]
        if let email = person.email {
            user["email"] = .string(email)
            user["emailVerified"] = .bool(true)
        }
        user["providerUserInfo"] = .array(
            simulators.identities(of: person).filter { identity in
                providers.contains(identity.provider)
                    && (identity.provider != .apple || identity.subject.isExactly(appleSubject(of: person)))
            }
            .map { identity in
                var members: JSONObject = [
                    "providerId": .string(identity.provider.rawValue), "rawId": .string(identity.subject),
                ]
                members["email"] = person.hidesEmail ? nil : person.email.map(JSONValue.string)
                return .object(members)
            })
        return user
    }

    /// The subject in the team of every new project.
    private static func appleSubject(of person: SimulatedPerson) -> String {
        let team = DevProviders.settings.compactMap(\.apple?.teamID).first
        return SimulatedApple.subject(of: person, in: team ?? SimulatedApple.defaultTeam)
    }

    private static func user(_ index: Int, named name: String) -> JSONObject {
        let number = index + 6
        var user: JSONObject = [
            "localId": .string("sample-\(number)"), "displayName": .string(name),
            "email": .string("sample\(number)@example.com"), "emailVerified": .bool(index % 3 != 2),
        ]
        if index % 7 == 6 { user["disabled"] = .bool(true) }
        // Hashing a password takes time, so only some accounts have one.
        if index % 3 == 0 { user["rawPassword"] = .string(password) }
        if index % 4 == 1 { user["phoneNumber"] = .string("+155501000\(10 + index)") }
        return user
    }
}
