internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Exchanges a refresh token for new tokens (RFC 6749 §6), with the member names of Firebase's Secure Token API.
    /// Serves disabled tenants too: their users cannot sign in, but their existing sessions continue.
    ///
    /// Also exchanges a code of the sign-in page for the first tokens of an app (RFC 6749 §4.1.3).
    static let refreshTokens = client("refreshTokens", .post, "/v1/token", errors: .secureToken) { call, client in
        let request = try TokenRequest(decoding: call, for: client)
        let grantType = try request.grantType.required(.missingGrantType)
        if grantType.isExactly("authorization_code") { return try await call.exchangeCode(request, for: client) }
        guard grantType.isExactly("refresh_token") else { throw RequestRefusal.rejected(.invalidGrantType) }
        let refreshToken = try request.refreshToken.required(.missingRefreshToken)
        // With a resumption key, the refresh token of a replaced session gives tokens of the session that replaced it.
        let signedIn = try await call.services.tokenRefresh.refresh(
            refreshToken, resumptionKey: try call.resumptionKeyInHeader(), in: client.realm)
        return try .json(TokenResponse(signedIn, realm: client.realm))
    }.servingDisabledTenants
}

extension EndpointCall {
    fileprivate func exchangeCode(_ request: TokenRequest, for client: CallingApp) async throws -> Response {
        guard client.realm.tenant?.settings.isDisabled != true else { throw TenantRefusal.disabled }
        let signedIn = try await services.signInPage.codes.exchange(
            request.code, verifier: request.codeVerifier, target: request.continueUri, for: client.app,
            in: client.realm, from: context)
        return try .json(TokenResponse(signedIn, isNewUser: signedIn.isNewAccount, realm: client.realm))
    }
}

private struct TokenRequest: ClientRequestBody {
    var grantType: String?
    var refreshToken: String?
    var code: String?
    var codeVerifier: String?
    var continueUri: String?
    var tenantId: String?
    var targetProjectId: String?

    init(decoding call: EndpointCall, for client: CallingApp) throws {
        if call.isForm {
            try self.init(form: call.form)
            try checkProjectAndTenant(for: client)
        } else {
            self = try call.body(as: TokenRequest.self, for: client)
        }
    }

    private init(form pairs: [(name: ByteText, value: String)]?) throws(RequestRefusal) {
        guard let pairs else { throw .rejected(.invalidArgument, "The form is malformed.") }
        guard pairs.map(\.name).firstDuplicate == nil else {
            throw .rejected(.invalidArgument, "A parameter is repeated.")
        }
        for (name, value) in pairs {
            switch name {
            case "grant_type", "grantType": grantType = value
            case "refresh_token", "refreshToken":
                try requireBounds(of: value, named: "refreshToken", at: "/refreshToken")
                refreshToken = value
            case "code":
                try requireBounds(of: value, named: "code", at: "/code")
                code = value
            case "code_verifier", "codeVerifier":
                try requireBounds(of: value, named: "codeVerifier", at: "/codeVerifier")
                codeVerifier = value
            case "continue_uri", "continueUri":
                try requireBounds(of: value, named: "continueUri", at: "/continueUri")
                continueUri = value
            case "tenant_id", "tenantId": tenantId = value
            case "target_project_id", "targetProjectId": targetProjectId = value
            default: continue
            }
        }
    }
}

private struct TokenResponse: Encodable {
    let accessToken: String
    let expiresIn: String
    let idToken: String
    /// The project number; see ``Project/number``.
    let projectID: String
    let refreshToken: String
    let tokenType = "Bearer"
    let userID: String
    /// `true` or absent.
    let secondFactorEnrollmentRequired: Bool?
    /// `nil` for a refresh.
    let isNewUser: Bool?

    init(_ signedIn: SignedIn, isNewUser: Bool? = nil, realm: Realm) {
        accessToken = signedIn.idToken
        expiresIn = signedIn.expiresInSeconds
        idToken = signedIn.idToken
        projectID = String(realm.project.number)
        refreshToken = signedIn.refreshToken
        userID = signedIn.account.id.rawValue
        secondFactorEnrollmentRequired = signedIn.isRestricted ? true : nil
        self.isNewUser = isNewUser
    }

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
        case idToken = "id_token"
        case projectID = "project_id"
        case refreshToken = "refresh_token"
        case tokenType = "token_type"
        case userID = "user_id"
        case secondFactorEnrollmentRequired, isNewUser
    }
}
