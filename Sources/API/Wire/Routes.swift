internal import Encoding
internal import HTTP

extension Endpoint {
    /// All operations of the contract.
    public static let all: [Endpoint] =
        [
            .signUp, .signInWithPassword, .lookUpOwnAccount, .updateOwnAccount, .deleteOwnAccount, .createAuthUri,
            .refreshTokens, .getProject, .getPasswordPolicy, .getRecaptchaConfig, .sendOobCode, .resetPassword,
            .signInWithEmailLink, .sendVerificationCode, .signInWithPhoneNumber,
            .signInWithIdp, .getAuthHandler, .getProviderAuthHandler, .getTenantProviderAuthHandler, .postAuthHandler,
            .getEmulatorAuthHandler, .getAuthFrame,
            .getEmulatorAuthFrame, .issueNonce, .revokeToken, .getOwnCredentialState, .getCredentialState,
            .unlinkOwnProvider, .mergeOwnAccounts,
            .receiveAppleNotification, .receiveProjectAppleNotification, .receiveGoogleSecurityEvent,
            .receiveAppStoreNotification, .setAppTransaction,
            .listSessions, .revokeSession, .lookUpSession, .exportAccount,
            .startPasskeyEnrollment, .finalizePasskeyEnrollment, .startPasskeySignIn, .finalizePasskeySignIn,
            .startPasskeySignUp, .finalizePasskeySignUp,
            .startMFAEnrollment, .finalizeMFAEnrollment, .withdrawMFAEnrollment, .startMFASignIn, .finalizeMFASignIn,
            .generateRecoveryCodes,
            .signInWithCustomToken, .createSessionCookie, .getSessionCookiePublicKeys, .getProjectConfig,
            .updateProjectConfig, .initializeAuth,
            .listDefaultSupportedIdpConfigs, .createDefaultSupportedIdpConfig, .getDefaultSupportedIdpConfig,
            .updateDefaultSupportedIdpConfig, .deleteDefaultSupportedIdpConfig,
            .listOauthIdpConfigs, .createOauthIdpConfig, .getOauthIdpConfig, .updateOauthIdpConfig,
            .deleteOauthIdpConfig,
            .listApps, .createApp, .getApp, .getAppReview, .updateApp, .deleteApp, .createBrandImage, .previewTexts,
            .getLoginMethods, .getErrorTexts,
            .getOpenIDConfiguration, .getProjectOpenIDConfiguration, .getJwks, .getProjectJwks, .getSigningKeys,
            .getSigningCertificates, .getProjectSigningCertificates,
            .getAppleAppSiteAssociation, .getAssetLinks, .getAppleDomainAssociation, .getRelatedOrigins,
            .getPasskeyEndpoints,
            .createAccount, .sendProjectOobCode, .lookUpAccounts, .updateAccount, .deleteAccount, .batchCreateAccounts,
            .batchDeleteAccounts,
            .batchGetAccounts, .queryAccounts, .queryProjectAccounts,
            .searchAccounts, .listAccountSessions, .listSignInObstacles, .impersonateAccount, .listIdentities,
            .linkIdentity, .unlinkIdentity, .moveIdentity,
            .mergeAccounts, .undoMerge,
            .getActionPage, .postActionPage, .getForgotPasswordPage, .postForgotPasswordPage,
            .getProjectForgotPasswordPage, .postProjectForgotPasswordPage, .openAppLink, .getChangePassword,
            .getProjectChangePassword, .getBrandImage, .getSignInPage, .postSignInPage,
            .openSignInProvider, .createSignInUri, .getSignOutPage, .postSignOutPage,
            .getAccountPage, .getAccountPart, .postAccountPart, .redirectToAccountPage,
            .listAuditEvents, .listCounts, .listEvents,
            .listEventEndpoints, .createEventEndpoint, .getEventEndpoint, .updateEventEndpoint, .deleteEventEndpoint,
            .rotateEventEndpointSecret, .enableEventEndpoint, .testEventEndpoint, .replayEvents, .listEventDeliveries,
            .getProjectHealth, .listQueueItems, .retryQueueItem, .cancelQueueItem,
            .listAdministrators, .inviteAdministrator, .updateAdministrator, .removeAdministrator,
            .listTenants, .createTenant, .getTenant, .updateTenant, .deleteTenant,
            .getHealth, .getReadiness, .getMetrics, .getReference, .getOpenAPIYAML, .getOpenAPIJSON,
        ] + withTenantVariant.map(\.inTenant)

    /// Firebase's operations on a project that also exist below a tenant's path. For Sekisho's own operations below
    /// `/v1/projects/`, the query or the body names the tenant instead.
    private static let withTenantVariant: [Endpoint] = [
        .createAccount, .sendProjectOobCode, .lookUpAccounts, .updateAccount, .deleteAccount, .batchCreateAccounts,
        .batchDeleteAccounts, .batchGetAccounts, .queryAccounts, .createSessionCookie,
        .listDefaultSupportedIdpConfigs, .createDefaultSupportedIdpConfig, .getDefaultSupportedIdpConfig,
        .updateDefaultSupportedIdpConfig, .deleteDefaultSupportedIdpConfig,
        .listOauthIdpConfigs, .createOauthIdpConfig, .getOauthIdpConfig, .updateOauthIdpConfig, .deleteOauthIdpConfig,
    ]
}

/// What the router finds for a method and a path.
enum Route: Sendable {
    case endpoint(Endpoint)
    /// An operation of the protocol that this release lacks.
    case unimplemented

    /// Returns a router for the contract and `endpoints`, which are outside the contract. They replace unimplemented
    /// operations with the same method and path.
    ///
    /// - Parameter servesMonitoring: whether the router finds the operations for monitoring.
    static func router(adding endpoints: [Endpoint], servesMonitoring: Bool = true) -> Router<Route> {
        guard !endpoints.isEmpty else {
            return servesMonitoring ? contractRouter : contractRouterWithoutMonitoring
        }
        let added = endpoints.map { ($0.method, $0.path, Route.endpoint($0)) }
        let remaining = contractRoutes.filter { servesMonitoring || !$0.2.isForMonitoring }.filter { route in
            !route.2.isUnimplemented || !added.contains { ($0.0, $0.1) == (route.0, route.1) }
        }
        return router(for: remaining + added)
    }

    private static let contractRouter = router(for: contractRoutes)
    private static let contractRouterWithoutMonitoring = router(for: contractRoutes.filter { !$0.2.isForMonitoring })
    /// Finds only the operations for monitoring.
    static let monitoringRouter = router(for: contractRoutes.filter(\.2.isForMonitoring))

    /// An account ID can contain any character except NUL.
    private static func router(for routes: [(HTTP.Method, String, Route)]) -> Router<Route> {
        Router(routes, opaqueParameters: ["localId"])
    }

    private static var contractRoutes: [(HTTP.Method, String, Route)] {
        (Endpoint.all + legacyEndpoints).map { ($0.method, $0.path, .endpoint($0)) }
            + unimplementedPaths.map { ($0.0, $0.1, .unimplemented) }
    }

    /// ``Endpoint/batchGetAccounts`` and ``Endpoint/batchCreateAccounts`` under their legacy names, which the contract
    /// does not list.
    private static let legacyEndpoints: [Endpoint] = [.downloadAccounts, .uploadAccounts]

    private var isUnimplemented: Bool {
        if case .unimplemented = self { true } else { false }
    }

    private var isForMonitoring: Bool {
        if case .endpoint(let endpoint) = self { endpoint.isForMonitoring } else { false }
    }

    private static let unimplementedPaths: [(HTTP.Method, String)] =
        [
            "/v1/accounts:issueSamlResponse",
            "/v1/accounts:revokeToken",
            "/v1/accounts:signInWithGameCenter", "/v1/accounts:signOutUser",
            "/v1/accounts:verifyIosClient",
        ].map { (.post, $0) }
        + ["", "/tenants/{tenant}"].flatMap {
            standardMethods(of: "/v2/projects/{project}\($0)/inboundSamlConfigs", resource: "config")
        }
        + [
            "/v1/recaptchaParams", "/v2/defaultSupportedIdps",
        ].map { (.get, $0) }

    /// The methods and paths of a collection and its resources.
    ///
    /// - Parameter name: the path parameter that names a resource.
    private static func standardMethods(of collection: String, resource name: String) -> [(HTTP.Method, String)] {
        let methods: [HTTP.Method] = [.get, .patch, .delete]
        return [(.get, collection), (.post, collection)] + methods.map { ($0, "\(collection)/{\(name)}") }
    }
}

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
