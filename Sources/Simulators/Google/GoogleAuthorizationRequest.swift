/// The parameters of `/o/oauth2/v2/auth` (code flow only).
struct GoogleAuthorizationRequest {
    static let parameterNames = [
        "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "access_type", "prompt", "login_hint",
    ]

    let clientID: String
    let redirectURI: String
    let state: String?
    let nonce: String?
    let codeChallenge: String?
    let isOffline: Bool
    let prompts: Set<Substring>
    let loginHint: String?

    init(_ form: Form) throws(GoogleRefusal) {
        func required(_ name: String) throws(GoogleRefusal) -> String {
            guard let value = form[name] else {
                throw GoogleRefusal(.invalidRequest, "Missing required parameter: \(name)")
            }
            return value
        }
        clientID = try required("client_id")
        redirectURI = try required("redirect_uri")
        guard WebURL(redirectURI) != nil else {
            throw GoogleRefusal(.invalidRequest, "Invalid parameter: redirect_uri")
        }
        guard try required("response_type") == "code" else {
            throw GoogleRefusal(.unsupportedResponseType, "Only the response type code is simulated.")
        }
        guard try required("scope").split(separator: " ").contains("openid") else {
            throw GoogleRefusal(.invalidRequest, "Only requests with the scope openid are simulated.")
        }
        codeChallenge = form["code_challenge"]
        guard codeChallenge == nil || form["code_challenge_method"] == "S256" else {
            throw GoogleRefusal(.invalidRequest, "Only the code challenge method S256 is simulated.")
        }
        (state, nonce, loginHint) = (form["state"], form["nonce"], form["login_hint"])
        isOffline = form["access_type"] == "offline"
        prompts = Set((form["prompt"] ?? "").split(separator: " "))
    }
}
