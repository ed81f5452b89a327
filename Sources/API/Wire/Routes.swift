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
            .listApps, .createApp, .getApp, .updateApp, .deleteApp, .getLoginMethods, .getErrorTexts,
            .getOpenIDConfiguration, .getProjectOpenIDConfiguration, .getJwks, .getProjectJwks, .getSigningKeys,
            .getSigningCertificates, .getProjectSigningCertificates,
            .getAppleAppSiteAssociation, .getAssetLinks, .getAppleDomainAssociation, .getRelatedOrigins,
            .getPasskeyEndpoints,
            .createAccount, .sendProjectOobCode, .lookUpAccounts, .updateAccount, .deleteAccount, .batchCreateAccounts,
            .batchDeleteAccounts,
            .batchGetAccounts, .queryAccounts, .queryProjectAccounts,
            .searchAccounts, .listIdentities, .linkIdentity, .unlinkIdentity, .moveIdentity, .mergeAccounts, .undoMerge,
            .getActionPage, .postActionPage, .getForgotPasswordPage, .postForgotPasswordPage,
            .getProjectForgotPasswordPage, .postProjectForgotPasswordPage, .openAppLink, .getChangePassword,
            .getProjectChangePassword, .getSignOutPage, .postSignOutPage,
            .listAuditEvents, .listCounts, .listEvents,
            .listEventEndpoints, .createEventEndpoint, .getEventEndpoint, .updateEventEndpoint, .deleteEventEndpoint,
            .rotateEventEndpointSecret, .enableEventEndpoint, .testEventEndpoint, .replayEvents, .listEventDeliveries,
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
