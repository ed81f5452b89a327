import HTTP
import Testing

@testable import API

@Suite("Paths of Firebase's clients")
struct RequestTargetTests {
    struct Row: CustomTestStringConvertible {
        let method: HTTP.Method
        let path: String
        let expected: String

        init(_ method: HTTP.Method, _ path: String, _ expected: String) {
            (self.method, self.path, self.expected) = (method, path, expected)
        }

        var testDescription: String { "\(method.rawValue) \(path)" }
    }

    static let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty"

    /// Firebase's SDKs put the host name of a service in front of the path. A legacy name is the last part of a path
    /// that begins with `/identitytoolkit/v3/relyingparty/`.
    @Test(
        "A service's host name is removed before the service's own paths, and a legacy name becomes its current target",
        arguments: [
            Row(.post, "/v1/accounts:signUp", "POST /v1/accounts:signUp"),
            Row(.post, "/identitytoolkit.googleapis.com/v1/accounts:signUp", "POST /v1/accounts:signUp"),
            Row(.get, "/identitytoolkit.googleapis.com/v2/passwordPolicy", "GET /v2/passwordPolicy"),
            Row(.get, "/admin/v2/projects/p/config", "GET /v2/projects/p/config"),
            Row(.get, "/identitytoolkit.googleapis.com/admin/v2/projects/p/tenants", "GET /v2/projects/p/tenants"),
            Row(.get, "/admin/v2/passwordPolicy", "GET /admin/v2/passwordPolicy"),
            Row(.post, "/admin/v1/projects/p/accounts", "POST /admin/v1/projects/p/accounts"),
            Row(.post, "/securetoken.googleapis.com/v1/token", "POST /v1/token"),
            Row(.get, "/www.googleapis.com/robot/v1/metadata/x509/a", "GET /robot/v1/metadata/x509/a"),
            Row(.get, "/www.googleapis.com/service_accounts/v1/jwk/a", "GET /service_accounts/v1/jwk/a"),
            Row(.post, "\(legacy)/verifyPassword", "POST /v1/accounts:signInWithPassword"),
            Row(.post, "/identitytoolkit/v3/relyingparty/verifyPassword", "POST /v1/accounts:signInWithPassword"),
            Row(.post, "\(legacy)/signupNewUser", "POST /v1/accounts:signUp"),
            Row(.post, "\(legacy)/getAccountInfo", "POST /v1/accounts:lookup"),
            Row(.post, "\(legacy)/setAccountInfo", "POST /v1/accounts:update"),
            Row(.post, "\(legacy)/deleteAccount", "POST /v1/accounts:delete"),
            Row(.post, "\(legacy)/createAuthUri", "POST /v1/accounts:createAuthUri"),
            Row(.get, "\(legacy)/createAuthUri", "POST /v1/accounts:createAuthUri"),
            Row(.get, "\(legacy)/getProjectConfig", "GET /v1/projects"),
            Row(.post, "\(legacy)/getProjectConfig", "GET /v1/projects"),
            Row(.post, "\(legacy)/verifyAssertion", "POST /v1/accounts:signInWithIdp"),
            Row(.post, "\(legacy)/emailLinkSignin", "POST /v1/accounts:signInWithEmailLink"),
            Row(.get, "\(legacy)/getRecaptchaParam", "GET /v1/recaptchaParams"),
            Row(
                .get, "\(legacy)/publicKeys",
                "GET /robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"),
            Row(.post, "\(legacy)/", "POST /identitytoolkit/v3/relyingparty/"),
            Row(.get, "/www.googleapis.com/v1/projects", "GET /www.googleapis.com/v1/projects"),
            Row(.get, "/identitytoolkit.googleapis.com/metrics", "GET /identitytoolkit.googleapis.com/metrics"),
            Row(.get, "/securetoken.googleapis.com/readyz", "GET /securetoken.googleapis.com/readyz"),
            Row(.get, "/identitytoolkit.googleapis.com", "GET /identitytoolkit.googleapis.com"),
            Row(
                .get, "/identitytoolkit.googleapis.community/v1/projects",
                "GET /identitytoolkit.googleapis.community/v1/projects"),
            Row(.get, "/", "GET /"),
        ])
    func target(row: Row) {
        let target = RequestTarget(row.method, row.path)
        #expect("\(target.method.rawValue) \(target.path)" == row.expected)
    }
}
