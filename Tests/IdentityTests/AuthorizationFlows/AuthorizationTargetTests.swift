import Testing

@testable import Identity

/// The target is the URL of the app to which the browser returns.
@Suite("The target of a sign-in in the browser")
struct AuthorizationTargetTests {
    private static var realm: Realm {
        Realm(
            Project(
                id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: ["App.example.com", "localhost"],
                supporting: .none),
            policy: Policy(.sekisho))
    }

    private static let app = App(
        id: ID("app"),
        settings: AppSettings(redirectURIs: [
            "com.example.app:/done", "https://links.example/done", "http://127.0.0.1:7/",
        ]))

    private static func outcome(_ text: String, of app: App) -> String {
        do {
            _ = try AuthorizationTarget(text, of: app, in: realm)
            return "accepted"
        } catch {
            return error.code.rawValue
        }
    }

    @Test(
        "If an app has redirect URIs, exactly these are accepted as the target",
        arguments: [
            ("com.example.app:/done", "accepted"), ("https://links.example/done", "accepted"),
            ("http://127.0.0.1:7/", "accepted"), ("https://app.example.com/", "UNAUTHORIZED_DOMAIN"),
            ("http://127.0.0.1:8/", "UNAUTHORIZED_DOMAIN"), ("com.example.app:/done/", "UNAUTHORIZED_DOMAIN"),
            ("COM.example.app:/done", "UNAUTHORIZED_DOMAIN"), ("https://links.example/done?x", "UNAUTHORIZED_DOMAIN"),
            ("javascript:alert(1)", "INVALID_CONTINUE_URI"),
        ])
    func registered(text: String, expected: String) {
        #expect(Self.outcome(text, of: Self.app) == expected)
    }

    @Test(
        "If an app has no redirect URIs, a page of an authorized domain is accepted as the target",
        arguments: [
            ("https://app.example.com/", "accepted"), ("https://APP.example.com:8443/a?b#c", "accepted"),
            ("http://localhost:5000/", "accepted"), ("http://app.example.com/", "INVALID_CONTINUE_URI"),
            ("com.example.app:/done", "UNAUTHORIZED_DOMAIN"), ("https://sub.app.example.com/", "UNAUTHORIZED_DOMAIN"),
            ("javascript:alert(1)", "INVALID_CONTINUE_URI"),
            ("JavaScript://app.example.com/%0a", "INVALID_CONTINUE_URI"),
            ("data:text/html,x", "INVALID_CONTINUE_URI"), ("https://app.example.com\\@evil/", "INVALID_CONTINUE_URI"),
            ("https://app.example.com/?error=x", "INVALID_CONTINUE_URI"),
            ("//app.example.com/", "INVALID_CONTINUE_URI"),
            ("https://app.example.com/ x", "INVALID_CONTINUE_URI"),
            ("https://app.example.com/" + String(repeating: "x", count: 2048), "INVALID_CONTINUE_URI"),
        ])
    func page(text: String, expected: String) {
        #expect(Self.outcome(text, of: Self.appWithoutURIs) == expected)
    }

    private static let appWithoutURIs = App(id: ID("app"))

    @Test(
        "The gateway's parameters are added before the fragment",
        arguments: [
            ("https://app.example.com/", "https://app.example.com/?grant=g"),
            ("https://app.example.com/?a=1#b", "https://app.example.com/?a=1&grant=g#b"),
            ("https://app.example.com/?", "https://app.example.com/?grant=g"),
            ("com.example.app:/done", "com.example.app:/done?grant=g"),
        ])
    func adding(text: String, expected: String) throws {
        let app = text.hasPrefix("https") ? Self.appWithoutURIs : Self.app
        #expect(try AuthorizationTarget(text, of: app, in: Self.realm).adding([(.grant, "g")]) == expected)
    }

    @Test("The values of a result are encoded, so that no value adds a parameter")
    func encoding() throws {
        let target = try AuthorizationTarget("https://app.example.com/", of: Self.appWithoutURIs, in: Self.realm)
        #expect(
            target.adding([(.code, "c"), (.state, "s&code=x#"), (.issuer, "https://i.example/demo")])
                == "https://app.example.com/?code=c&state=s%26code%3Dx%23&iss=https%3A%2F%2Fi.example%2Fdemo")
    }

    @Test(
        "The sign-in page returns to no URL that has a parameter of a result, in any spelling that an app decodes",
        arguments: ResultParameter.allCases.flatMap { parameter in
            let name = parameter.rawValue
            let escaped = name.utf8.map { "%" + String($0, radix: 16) }.joined()
            return ["?\(name)=x", "?a=1&\(name)=", "?\(name)", "?\(name)=x#top", "?&\(escaped)=x", "?%zz&\(name)=x"]
        })
    func result(suffix: String) throws {
        #expect(Self.isTargetOfSignInPage("https://app.example.com/" + suffix) == false)
    }

    @Test(
        "The sign-in page returns to a URL with other parameters",
        arguments: [
            "", "?", "?a=code", "?codes=1&xerror=2", "error/code", "?Code=x", "?a=1#code=x", "?%zz=1",
            "?code%zz=1", "?co+de=1",
        ])
    func withoutResult(suffix: String) throws {
        #expect(Self.isTargetOfSignInPage("https://app.example.com/" + suffix) == true)
    }

    private static func isTargetOfSignInPage(_ text: String) -> Bool {
        do {
            return try !AuthorizationTarget(text, of: appWithoutURIs, in: realm).hasResultParameter
        } catch {
            return false
        }
    }

    @Test(
        "A flow of createAuthUri returns to no URL with its own parameters, and to one with those of the sign-in page",
        arguments: [
            ("?grant=x", "INVALID_CONTINUE_URI"), ("?%67rant=x", "INVALID_CONTINUE_URI"),
            ("?err%6Fr=x", "INVALID_CONTINUE_URI"), ("?code=x&state=y&iss=z", "accepted"),
        ])
    func ofFlow(suffix: String, expected: String) {
        #expect(Self.outcome("https://app.example.com/" + suffix, of: Self.appWithoutURIs) == expected)
    }

    @Test(
        "A redirect URI can be registered if it is an https URL, a loopback http URL, or has a custom scheme",
        arguments: [
            ("com.example.app:/done", true), ("myapp://auth", true), ("https://links.example/a", true),
            ("http://localhost:5000/x", true), ("http://app.example.com/", false), ("javascript:alert(1)", false),
            ("DATA:text/html,x", false), ("intent://x", false), ("https://a@evil.example/", false),
            ("https://a.example/#b", false), ("myapp:", false), ("no scheme", false), ("myapp:/?grant=x", false),
            ("myapp:/?%65rror=x", false),
        ])
    func registration(text: String, isAccepted: Bool) {
        #expect(AuthorizationTarget.canBeRegistered(text) == isAccepted)
    }

    @Test("Only pages of the authorized domains may embed the SDK's frame")
    func ancestors() {
        #expect(
            Self.realm.project.frameAncestors == [
                "https://app.example.com:*", "https://localhost:*", "http://localhost:*",
            ])
        var empty = Self.realm
        empty.project.authorizedDomains = []
        #expect(empty.project.frameAncestors == ["'none'"])
    }
}
