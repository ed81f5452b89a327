import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Support

@Suite("An API key of an app that lists its callers", .serialized)
struct CallerRestrictionTests {
    static let settings = #"""
        {"bundleIds": ["com.example.app"], "androidPackages": ["com.example.android"], "webDomains": ["example.com"]}
        """#

    @Test(
        "A header that names another app or page is rejected with Google's message",
        arguments: [
            (
                "X-Ios-Bundle-Identifier", "com.evil", "API_KEY_IOS_APP_BLOCKED",
                "Requests from this iOS client application com.evil are blocked.", "iosBundleId"
            ),
            (
                "X-Android-Package", "com.evil", "API_KEY_ANDROID_APP_BLOCKED",
                "Requests from this Android client application com.evil are blocked.", "androidPackage"
            ),
            (
                "Referer", "https://evil.example/", "API_KEY_HTTP_REFERRER_BLOCKED",
                "Requests from referer https://evil.example/ are blocked.", "httpReferrer"
            ),
        ])
    func blocked(header: String, value: String, code: String, message: String, member: String) async throws {
        let gateway = try await TestGateway().withAppSettings(Self.settings)
        let refused = try await gateway.post("/v1/accounts:signUp", headers: Headers([(header, value)]))
        #expect(refused.outcome == "403 \(message)")
        #expect(refused.json["error"]?["status"] == "PERMISSION_DENIED")
        #expect(refused.json["error"]?["errors"]?[0]?["reason"] == "forbidden")
        let detail = refused.json["error"]?["details"]?[0]
        #expect(detail?["reason"]?.string == code)
        #expect(detail?["domain"] == "googleapis.com")
        #expect(detail?["metadata"]?[member]?.string == value)
    }

    @Test("A request without a caller's header is accepted, unless the policy requires one", arguments: [false, true])
    func absent(isRequired: Bool) async throws {
        let gateway = try await TestGateway { $0.requiresCallerHeader = isRequired }.withAppSettings(Self.settings)
        let without = try await gateway.post("/v1/accounts:signUp")
        #expect(
            without.outcome
                == (isRequired ? "403 Requests from this iOS client application <empty> are blocked." : "200"))
        let with = try await gateway.post(
            "/v1/accounts:signUp", headers: ["X-Ios-Bundle-Identifier": "com.example.app"])
        #expect(with.outcome == "200")
    }

    @Test("Every caller is accepted in dev mode")
    func dev() async throws {
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo"))).withAppSettings(Self.settings)
        let exchange = try await gateway.post(
            "/v1/accounts:signUp", headers: ["X-Ios-Bundle-Identifier": "com.evil"])
        #expect(exchange.outcome == "200")
    }

    @Test("The caller's header is checked before tokens and bodies, also by the token endpoint")
    func checkedFirst() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.settings)
        for path in ["/v1/token", "/v1/accounts:lookup", "/v1/accounts:signInWithIdp"] {
            let refused = try await gateway.post(path, headers: ["X-Ios-Bundle-Identifier": "com.evil"])
            #expect(refused.status == 403, "\(path)")
        }
    }
}
