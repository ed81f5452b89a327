internal import API
internal import Console
internal import Crypto
internal import Gateway
internal import HTTP
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Tokens

extension ModeExtensions {
    /// Adds the endpoints of Firebase's emulator, and those for the clock, the captured emails and the simulators.
    /// Projects and tenants are created on first use. `serve` never uses these extensions.
    static func dev(
        on pool: Pool, default id: ID<Project>, under masterKeys: MasterKeys, clock: DevClock,
        simulators: DevSimulators, emails: CapturedEmails, phoneCodes: CapturedPhoneCodes, emailService: EmailService?,
        requests: RecordedRequests, forms: FormTokens
    ) -> ModeExtensions {
        let projects = DevProjects(
            pool: pool, supportedProviders: simulators.providers.supported, masterKeys: masterKeys,
            clock: clock.wallClock, defaultID: id,
            onLookup: simulators.registerClients)
        let endpoints =
            [.clearAccounts(on: pool, projects), .verificationCodes(phoneCodes, on: pool, projects)].withTenants
            + .emulatorConfig(on: pool, projects)
            + [
                .emailActionCodes(emails, emailService, on: pool, projects),
                .capturedEmails(emails, emailService?.worker, projects),
            ].withTenants
            + [.setClock(clock), .simulateSignIn(at: simulators, projects)] + .simulators(simulators, projects)
        let pages = StartPages(
            projects: projects, clock: clock, simulators: simulators, emails: emails, phoneCodes: phoneCodes,
            emailService: emailService, requests: requests, forms: forms,
            sealedTexts: .live(MasterKeySealedTokens(masterKeys: masterKeys), clock: clock.wallClock))
        return ModeExtensions(
            projectLookup: projects.realm(ofProject:), hasProject: projects.contains(_:),
            resolveTenant: projects.tenant(existing:orCreate:of:),
            endpoints: { emailActions in
                pages.endpoints + [.recaptchaParams] + .withDescription(of: endpoints + [.emulatorAction(emailActions)])
            })
    }
}

extension DevProjects {
    /// Returns the realm that the path of the request names: the tenant, or the project if it names no tenant. Creates
    /// both on first use.
    func realm(inPathOf call: EndpointCall) async throws -> Realm {
        guard let realm = try await realm(ofProject: call.parameters["project"].map { ID($0) }) else {
            throw RequestRefusal.notFound
        }
        guard let id = call.parameters["tenant"].map({ ID<Tenant>($0) }) else { return realm }
        let found = try await store.realm(ID(id, of: realm.project.id))
        guard id.isValidTenantID, let tenant = try await tenant(existing: found, orCreate: id, of: realm) else {
            throw RequestRefusal.notFound
        }
        return tenant
    }
}

extension Endpoint {
    /// Returns a fixed key, because the reCAPTCHA widget of Firebase's SDKs needs one. The gateway does not check the
    /// widget's response.
    fileprivate static let recaptchaParams = outsideContract("getRecaptchaParams", .get, "/v1/recaptchaParams") { _ in
        try .json(RecaptchaParams())
    }

    fileprivate static func clearAccounts(on pool: Pool, _ projects: DevProjects) -> Endpoint {
        outsideContract("clearAccounts", .delete, "/emulator/v1/projects/{project}/accounts") { call in
            try await AccountClearing(pool: pool).clear(projects.realm(inPathOf: call).id)
            return try .json([String: String]())
        }
    }
}

extension Endpoint {
    /// Lists the codes for telephone numbers that were neither used nor have expired, of every purpose.
    fileprivate static func verificationCodes(
        _ codes: CapturedPhoneCodes, on pool: Pool, _ projects: DevProjects
    ) -> Endpoint {
        outsideContract("listVerificationCodes", .get, "/emulator/v1/projects/{project}/verificationCodes") { call in
            let realm = try await projects.realm(inPathOf: call)
            let captured = codes.codes(in: realm.id)
            let usable = try await PhoneCodeLookup(pool: pool)
                .usableCodes(captured.map(\.hash), in: realm.id, at: projects.clock.now())
            return try .json([
                "verificationCodes": captured.filter { usable.contains($0.hash) }.map { VerificationCode($0) }
            ])
        }
    }
}

extension [Endpoint] {
    /// The endpoints, and the same endpoints below the path of a tenant.
    fileprivate var withTenants: [Endpoint] { self + map(\.inTenant) }
}

private struct VerificationCode: Encodable {
    let phoneNumber: String
    let sessionInfo: String
    let code: String

    init(_ captured: CapturedPhoneCodes.Captured) {
        phoneNumber = captured.number.rawValue
        sessionInfo = captured.sessionInfo
        code = captured.code
    }
}

private struct RecaptchaParams: Encodable {
    let kind = "identitytoolkit#GetRecaptchaParamResponse"
    let recaptchaStoken = "this-is-not-a-token"
    let recaptchaSiteKey = "this-is-not-a-key"
}
