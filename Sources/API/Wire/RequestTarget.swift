internal import Encoding
internal import HTTP

/// The method and path of a request, without the host name that Firebase's SDKs prepend to the path. A legacy name of
/// an operation (`/identitytoolkit/v3/relyingparty/…`) is replaced by the current method and path.
struct RequestTarget {
    let method: HTTP.Method
    let path: String
    /// Whether the path of the request was a legacy name.
    let isLegacyName: Bool

    init(_ method: HTTP.Method, _ path: String) {
        let path = Self.withoutAdminPrefix(Self.withoutHost(path))
        if let name = path.removingExactly(prefix: Self.legacyPrefix), let current = Self.currentTargets[ByteText(name)]
        {
            (self.method, self.path) = current
            isLegacyName = true
        } else {
            (self.method, self.path) = (method, path)
            isLegacyName = false
        }
    }

    private static func withoutHost(_ path: String) -> String {
        for host in hosts {
            guard let rest = path.removingExactly(prefix: host.prefix), rest.beginsExactly(with: host.path) else {
                continue
            }
            return rest
        }
        return path
    }

    /// Firebase serves its configuration operations (`/v2/projects/…`) under this prefix too.
    private static func withoutAdminPrefix(_ path: String) -> String {
        guard let rest = path.removingExactly(prefix: "/admin"), rest.beginsExactly(with: "/v2/projects/") else {
            return path
        }
        return rest
    }

    /// The host names, each with the beginning of its paths. A host name is accepted only before its own paths, so that
    /// an operation has at most one address with a host name, not counting the prefix `/admin`.
    private static let hosts: [(prefix: String, path: String)] = [
        ("/identitytoolkit.googleapis.com", "/v1/"),
        ("/identitytoolkit.googleapis.com", "/v2/"),
        ("/identitytoolkit.googleapis.com", "/admin/v2/"),
        ("/securetoken.googleapis.com", "/v1/"),
        ("/www.googleapis.com", "/robot/"),
        ("/www.googleapis.com", "/service_accounts/"),
        ("/www.googleapis.com", legacyPrefix),
    ]

    private static let legacyPrefix = "/identitytoolkit/v3/relyingparty/"

    /// The current method and path of each legacy name. A legacy name accepts any method.
    private static let currentTargets: [ByteText: (HTTP.Method, String)] = [
        "createAuthUri": (.post, "/v1/accounts:createAuthUri"),
        "deleteAccount": (.post, "/v1/accounts:delete"),
        "downloadAccount": (.post, "/v1/accounts:download"),
        "emailLinkSignin": (.post, "/v1/accounts:signInWithEmailLink"),
        "getAccountInfo": (.post, "/v1/accounts:lookup"),
        "getOobConfirmationCode": (.post, "/v1/accounts:sendOobCode"),
        "getProjectConfig": (.get, "/v1/projects"),
        "getRecaptchaParam": (.get, "/v1/recaptchaParams"),
        // The certificates that verify session cookies.
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
