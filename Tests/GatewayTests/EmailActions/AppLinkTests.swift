import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

@Suite("Links in emails that an app opens", .serialized)
struct AppLinkTests {
    /// A gateway with the app `shop`, which is associated with the gateway's host, and another app, which is not.
    private static let shared = Task {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let shop: JSON = [
            "appId": "shop", "bundleIds": ["com.example.app"], "androidPackages": ["com.example.droid"],
            "androidFingerprints": [.string(String(repeating: "ab", count: 32))],
            "associatedDomains": ["auth.example.com"],
        ]
        let appOfOtherHost: JSON = [
            "appId": "other", "bundleIds": ["com.example.other"], "associatedDomains": ["other.example.com"],
        ]
        for app in [shop, appOfOtherHost] {
            #expect(try await configurator.send(.post, "apps", app).outcome == "200")
        }
        return try Configurator(withFreshCachesOf: configurator)
    }

    /// The beginning of a link that opens the action page, and of one that opens an app.
    static let actionPage = "https://auth.example.com/__/auth/action?"
    static let appLink = "https://auth.example.com/demo/__/auth/links?"

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// The member `canHandleCodeInApp` of the request.
        var canHandleCodeInApp: JSON = true
        /// The members of the request that name apps.
        var apps: [String: JSON] = [:]
        /// The expected beginning of the link.
        let base: String
    }

    @Test(
        "A link names the requested apps associated with the link's host; if there are none, it opens the action page",
        arguments: [
            Row(
                testDescription: "an app of Apple's platforms", apps: ["iOSBundleId": "com.example.app"],
                base: appLink + "ibi=com.example.app&"),
            Row(
                testDescription: "an Android app", apps: ["androidPackageName": "com.example.droid"],
                base: appLink + "apn=com.example.droid&"),
            Row(
                testDescription: "an app of each platform",
                apps: ["iOSBundleId": "com.example.app", "androidPackageName": "com.example.droid"],
                base: appLink + "ibi=com.example.app&apn=com.example.droid&"),
            Row(
                testDescription: "a known and an unknown app",
                apps: ["iOSBundleId": "com.example.app", "androidPackageName": "com.evil"],
                base: appLink + "ibi=com.example.app&"),
            Row(testDescription: "no app", base: actionPage),
            Row(testDescription: "an unknown app", apps: ["iOSBundleId": "com.evil&mode=x"], base: actionPage),
            Row(
                testDescription: "an app that is associated with another host",
                apps: ["iOSBundleId": "com.example.other"],
                base: actionPage),
            Row(
                testDescription: "the app does not handle the code", canHandleCodeInApp: false,
                apps: ["iOSBundleId": "com.example.app"], base: actionPage),
        ])
    func base(row: Row) async throws {
        let configurator = try await Self.shared.value
        let input: [String: JSON] = [
            "requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "returnOobLink": true,
            "canHandleCodeInApp": row.canHandleCodeInApp, "continueUrl": "http://localhost/",
        ]
        let issued = try await configurator.gateway.send(
            .post, "/v1/projects/demo/accounts:sendOobCode", .object(input.merging(row.apps) { $1 }),
            by: configurator.serviceKey)
        let link = try #require(issued.json["oobLink"]?.string)
        #expect(link.hasPrefix(row.base + "mode=signIn&oobCode="), "\(link)")
    }

    @Test("The queued email has the beginning of the link that opens the app")
    func email() async throws {
        let gateway = try await Self.shared.value.gateway
        let request: [String: JSON] = [
            "email": "bob@example.com", "canHandleCodeInApp": true, "iOSBundleId": "com.example.app",
        ]
        #expect(try await gateway.sendOobCode("EMAIL_SIGNIN", request).status == 200)
        let email = try #require(try await gateway.emails().last { $0.recipient == "bob@example.com" })
        #expect(email.content.appLinkBase == Self.appLink + "ibi=com.example.app")
    }

    @Test(
        "Without the app, the link redirects to the project's action URL for the mode; otherwise, to the action page",
        arguments: [
            ("signIn", nil, "../../../__/auth/action"), ("nonsense", nil, "../../../__/auth/action"),
            ("signIn", "https://localhost/action", "https://localhost/action"),
            ("undoMerge", "https://localhost/action", "../../../__/auth/action"),
        ] as [(String, String?, String)])
    func browser(mode: String, actionURL: String?, target: String) async throws {
        let gateway = try await TestGateway()
        if let actionURL {
            _ = try await gateway.database.pool.execute(
                "UPDATE realm SET email_settings = jsonb_build_object('actionUrl', \(actionURL))")
        }
        let query = [("ibi", "com.example.app"), ("mode", mode), ("oobCode", "c&d"), ("continueUrl", "https://a/?b=c")]
        let response = try await gateway.withFreshCaches().send(
            .get, "/demo/__/auth/links", body: [], query: query.map { (name: $0.0, value: $0.1) })
        #expect(response.status == 303)
        #expect(
            response.headers["Location"]
                == target + "?ibi=com.example.app&mode=\(mode)&oobCode=c%26d&continueUrl=https%3A%2F%2Fa%2F%3Fb%3Dc")
        #expect(try await gateway.getWithoutAPIKey("/none/__/auth/links").status == 404)
    }
}
