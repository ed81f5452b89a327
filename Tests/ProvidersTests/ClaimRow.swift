import Encoding
import Identity
import JSON
import Testing

/// A change of claims in a valid identity token of Apple, and the reason for which the token is rejected.
struct ClaimRow: CustomTestStringConvertible {
    let testDescription: String
    let changes: Changes
    /// The expected reason; `nil` if the token is accepted. `.claim(name)` means a missing or invalid claim.
    let fault: IdentityTokenFault?

    init(_ testDescription: String, _ changes: Changes, _ fault: IdentityTokenFault?) {
        self.testDescription = testDescription
        self.changes = changes
        self.fault = fault
    }

    private static let now = Fixture.start.seconds
    private static let clientIDs = ["com.example.app", "com.example.web"]

    static let all: [ClaimRow] =
        wrongIssuers.map { seen in
            ClaimRow("issuer \(seen)", ["iss": .string(seen)], .issuer(expected: [issuer], seen: seen))
        } + issuers
        + wrongAudiences.map { seen in
            ClaimRow("audience '\(seen)'", ["aud": .string(seen)], .audience(expected: clientIDs, seen: [seen]))
        } + audiences + authorizedParties + times + ["exp", "iat", "nbf"].flatMap(wrongTimes) + subjects + events

    private static let issuer = "https://appleid.apple.com"

    static let wrongIssuers = [
        "https://appleid.apple.com/", "https://account.apple.com", "http://appleid.apple.com", "appleid.apple.com",
        "https://appleid.apple.com.attacker.example", "HTTPS://appleid.apple.com", "https://accounts.google.com",
    ]

    static let issuers = [
        ClaimRow("no issuer", ["iss": .null], .claim("iss")),
        ClaimRow("an issuer that is not a string", ["iss": ["https://appleid.apple.com"]], .claim("iss")),
    ]

    static let wrongAudiences = [
        "com.example.ap", "com.example.app2", "com.example.app.evil", "COM.EXAMPLE.APP", "com.example",
        "com.example.app,com.example.web", " com.example.app", "",
    ]

    static let audiences = [
        ClaimRow("another client ID of the project", ["aud": "com.example.web"], nil),
        ClaimRow("audiences: one client ID of the project", ["aud": ["com.example.web"]], nil),
        ClaimRow("audiences: two client IDs of the project", ["aud": ["com.example.web", "com.example.app"]], nil),
        ClaimRow(
            "audiences: one client ID of the project and a foreign one", ["aud": ["com.example.app", "com.other"]],
            .audience(expected: clientIDs, seen: ["com.example.app", "com.other"])),
        ClaimRow(
            "audiences: one client ID of the project and a foreign one, requested by another client ID of the project",
            ["aud": ["com.other", "com.example.app"], "azp": "com.example.web"], nil),
        ClaimRow(
            "audiences: one client ID of the project and a foreign one, requested by the foreign client ID",
            ["aud": ["com.example.app", "com.other"], "azp": "com.other"],
            .audience(expected: clientIDs, seen: ["com.example.app", "com.other"])),
        ClaimRow(
            "audiences: only a foreign one, requested by a client ID of the project",
            ["aud": ["com.other"], "azp": "com.example.app"],
            .audience(expected: clientIDs, seen: ["com.other"])),
        ClaimRow("audiences: an empty list", ["aud": []], .audience(expected: clientIDs, seen: [])),
        ClaimRow("no audience", ["aud": .null], .claim("aud")),
        ClaimRow("an audience that is not a string", ["aud": 7], .claim("aud")),
        ClaimRow("audiences that are not all strings", ["aud": ["com.example.app", 7]], .claim("aud")),
    ]

    static let authorizedParties = [
        ClaimRow("requested by a client ID of the project", ["azp": "com.example.web"], nil),
        ClaimRow(
            "requested by a foreign client ID", ["azp": "com.sibling"],
            .authorizedParty(expected: clientIDs, seen: "com.sibling")),
        ClaimRow("requested by an empty client ID", ["azp": ""], .authorizedParty(expected: clientIDs, seen: "")),
        ClaimRow("requested by a client ID that is not a string", ["azp": ["com.example.app"]], .claim("azp")),
    ]

    /// The leeway for clocks that differ is 60 seconds.
    static let times = [
        ClaimRow("expired, within the leeway", ["exp": .integer(now - 59)], nil),
        ClaimRow("expired for a minute", ["exp": .integer(now - 60)], .expired(at: Instant(seconds: now - 60))),
        ClaimRow("expired long ago", ["exp": 0], .expired(at: Instant(seconds: 0))),
        ClaimRow("issued in the future, within the leeway", ["iat": .integer(now + 60)], nil),
        ClaimRow(
            "issued in the future, beyond the leeway", ["iat": .integer(now + 61)],
            .notYetValid(until: Instant(seconds: now + 61))),
        ClaimRow(
            "not valid yet, beyond the leeway", ["nbf": .integer(now + 61)],
            .notYetValid(until: Instant(seconds: now + 61))),
        ClaimRow("valid since five minutes ago", ["nbf": .integer(now - 300)], nil),
        ClaimRow(
            "times with fractions", ["iat": .number(Double(now) - 1.5), "exp": .number(Double(now) + 9.5)], nil),
        ClaimRow("no exp", ["exp": .null], .claim("exp")),
        ClaimRow("no iat", ["iat": .null], .claim("iat")),
    ]

    static func wrongTimes(_ name: String) -> [ClaimRow] {
        let member = ByteText(name)
        return [
            ClaimRow("\(name) 1e300", [member: 1e300], .claim(name)),
            ClaimRow("\(name) -1e300", [member: -1e300], .claim(name)),
            ClaimRow("\(name) -1", [member: -1], .claim(name)),
            ClaimRow("\(name) 2^63", [member: 9_223_372_036_854_775_808.0], .claim(name)),
            ClaimRow("\(name) 2^63-1", [member: .integer(.max)], .claim(name)),
            ClaimRow("\(name) as text", [member: .string("\(now)")], .claim(name)),
            ClaimRow("\(name) true", [member: true], .claim(name)),
        ]
    }

    static let subjects = [
        ClaimRow("no subject", ["sub": .null], .claim("sub")),
        ClaimRow("an empty subject", ["sub": ""], .claim("sub")),
        ClaimRow("a subject that is not a string", ["sub": 7], .claim("sub")),
        ClaimRow("a subject of 255 characters", ["sub": .string(String(repeating: "é", count: 255))], nil),
        ClaimRow("a subject of 256 characters", ["sub": .string(String(repeating: "s", count: 256))], .claim("sub")),
        ClaimRow("a subject with a line feed", ["sub": "a\nb"], .claim("sub")),
        ClaimRow("a subject with DEL", ["sub": "a\u{7F}"], .claim("sub")),
    ]

    /// A token with `events` is a notification, and not an identity token.
    static let events = [ClaimRow("a token with events", ["events": ["x": [:]]], .claim("events"))]
}
