internal import HTTP

/// The method and path of a request without the host names that stock clients prepend to paths, and with operation
/// names of the protocol's third version translated.
struct Destination: Hashable {
    let method: HTTP.Method
    let path: String

    init(_ method: HTTP.Method, _ path: String) {
        let plain = Self.withoutHost(path)
        if plain.hasPrefix(Self.legacyPrefix),
            let target = Self.legacy[String(plain.dropFirst(Self.legacyPrefix.count))]
        {
            (self.method, self.path) = target
        } else {
            (self.method, self.path) = (method, plain)
        }
    }

    private static func withoutHost(_ path: String) -> String {
        for host in hosts where path.hasPrefix(host.prefix) && path.dropFirst(host.prefix.count).hasPrefix(host.keeps) {
            return String(path.dropFirst(host.prefix.count))
        }
        return path
    }

    /// Each host has only its own paths, so that an operation that a proxy blocks has no second address.
    private static let hosts: [(prefix: String, keeps: String)] = [
        ("/identitytoolkit.googleapis.com", "/v1/"),
        ("/identitytoolkit.googleapis.com", "/v2/"),
        ("/securetoken.googleapis.com", "/v1/"),
        ("/www.googleapis.com", "/robot/"),
        ("/www.googleapis.com", legacyPrefix),
    ]

    private static let legacyPrefix = "/identitytoolkit/v3/relyingparty/"

    /// The legacy names accepted any method. Each maps to one current operation.
    private static let legacy: [String: (HTTP.Method, String)] = [
        "createAuthUri": (.post, "/v1/accounts:createAuthUri"),
        "deleteAccount": (.post, "/v1/accounts:delete"),
        "downloadAccount": (.post, "/v1/accounts:download"),
        "emailLinkSignin": (.post, "/v1/accounts:signInWithEmailLink"),
        "getAccountInfo": (.post, "/v1/accounts:lookup"),
        "getOobConfirmationCode": (.post, "/v1/accounts:sendOobCode"),
        "getProjectConfig": (.get, "/v1/projects"),
        "getRecaptchaParam": (.get, "/v1/recaptchaParams"),
        // Certificates of session cookies.
        "publicKeys": (.get, "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"),
        "resetPassword": (.post, "/v1/accounts:resetPassword"),
        "sendVerificationCode": (.post, "/v1/accounts:sendVerificationCode"),
        "setAccountInfo": (.post, "/v1/accounts:update"),
        "signOutUser": (.post, "/v1/accounts:signOutUser"),
        "signupNewUser": (.post, "/v1/accounts:signUp"),
        "uploadAccount": (.post, "/v1/accounts:upload"),
        "verifyAssertion": (.post, "/v1/accounts:signInWithIdp"),
        "verifyCustomToken": (.post, "/v1/accounts:signInWithCustomToken"),
        "verifyPassword": (.post, "/v1/accounts:signInWithPassword"),
        "verifyPhoneNumber": (.post, "/v1/accounts:signInWithPhoneNumber"),
    ]
}
