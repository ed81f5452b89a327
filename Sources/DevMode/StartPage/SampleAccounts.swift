internal import Encoding
internal import Identity
internal import JSON

/// Accounts with different names, states and sign-in methods. Their IDs are constant, so that a second import changes
/// them instead of adding others.
enum SampleAccounts {
    private static let names = [
        "Ada Lovelace", "Grace Hopper", "Alan Turing", "Emmy Noether", "Mary Somerville", "Katherine Johnson",
        "Hedy Lamarr", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth", "Radia Perlman", "Tim Berners-Lee",
        "Margaret Hamilton", "山田 花子", "محمد الخوارزمي", "Zoë Müller", "Jean Bartik", "Ken Thompson",
    ]

    /// 18 accounts with names and addresses, and two guests.
    static var users: [JSONValue] {
        names.enumerated().map { .object(user($0.offset, $0.element)) }
            + (1...2).map { .object(["localId": .string("sample-guest-\($0)")]) }
    }

    private static func user(_ index: Int, _ name: String) -> JSONObject {
        let email = "sample\(index + 1)@example.com"
        var user: JSONObject = [
            "localId": .string("sample-\(index + 1)"), "displayName": .string(name), "email": .string(email),
            "emailVerified": .bool(index % 3 != 2),
        ]
        if index % 7 == 6 { user["disabled"] = .bool(true) }
        if index % 5 == 0 { user["customAttributes"] = .string(#"{"role":"admin"}"#) }
        if index % 4 == 1, let other = DevSimulators.otherTypes.first {
            user["providerUserInfo"] = .array([identity(other.provider.rawValue, index, email)])
        }
        if index % 4 == 2 { user["providerUserInfo"] = .array([identity("apple.com", index, email)]) }
        return user
    }

    private static func identity(_ provider: String, _ index: Int, _ email: String) -> JSONValue {
        .object([
            "providerId": .string(provider), "rawId": .string("sample-subject-\(index + 1)"), "email": .string(email),
        ])
    }
}
