internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension AccountPageRequest {
    /// Shows the part. Changes nothing.
    func view() async throws -> PageResponse {
        switch path {
        case .overview:
            if let continuation = AccountContinuation(call.request) {
                return PageResponse(.redirect(to: continuation.location), of: realm.id)
            }
            let problem = call.request.query("error").flatMap(AccountReturnProblem.init)
            return response(
                .account(
                    AccountOverview(account, in: realm), allowsPasswords: allowsPassword, problem: problem, frame()))
        case .methods: return response(methodsPage)
        case .add: return try startLinking()
        case .remove: return removalPage
        case .passkey: return try passkeyPage()
        case .rename: return try renamingPage()
        case .email: return response(.changeEmail(of: account, frame()))
        case .password:
            guard allowsPassword else { throw EditRefusal.passwordsNotAllowed }
            return response(.accountPassword(of: account, rules, frame()))
        case .profile: return response(.profile(account.displayName, frame()))
        case .preferences: return response(.preferences(of: account, frame()))
        case .devices: return try await devicesPage()
        case .activity: return try await activityPage()
        case .secure: return response(.secureAccount(account, allowsPassword ? rules : nil, frame()))
        case .phone: return try phonePage
        case .authenticator: return try authenticatorPage()
        case .recoveryCodes:
            guard !account.secondFactors.isEmpty else { throw FactorRefusal.factorUnknown }
            return response(.newRecoveryCodes(frame()))
        case .data: return response(.accountData(frame()))
        case .delete: return response(.deleteAccount(AccountOverview(account, in: realm), signInURL: nil, frame()))
        }
    }

    var rules: PasswordRules { PasswordRules(realm.policy) }

    /// Whether the account can have a password. Without an address, a password cannot be used.
    var allowsPassword: Bool { realm.policy.allowsPasswords && account.email != nil }

    private var methodsPage: Page {
        var addable = AddableMethods()
        addable.service = canAddService
        addable.password = allowsPassword && !account.hasPassword
        addable.phone = canAddPhone
        addable.passkey = canAddPasskey
        addable.oneTimePassword = canAddOneTimePassword
        addable.recoveryCodes = !account.secondFactors.isEmpty
        return .signInMethods(
            AccountMethod.all(of: account, in: realm), recoveryCodes: account.secondFactors.recoveryCodes,
            adding: addable, frame())
    }

    /// Whether a browser can add an identity of a provider that the account does not have.
    private var canAddService: Bool {
        realm.providers.contains {
            $0.isEnabled && account.identity(of: $0.provider) == nil
                && realm.hasBrowserFlow(of: $0.provider, for: .accountPage)
        }
    }

    private var canAddOneTimePassword: Bool {
        let factors = account.secondFactors.factors
        return realm.policy.secondFactors.state != .disabled && realm.policy.secondFactors.allowsTOTP
            && account.emailIsVerified && factors.count < SecondFactors.limit && !hasOneTimePassword
    }

    private var hasOneTimePassword: Bool { account.secondFactors.factors.contains { $0.kind == .totp } }

    private var removalPage: PageResponse {
        guard let method = AccountMethod.all(of: account, in: realm).first(where: { $0.reference == reference }) else {
            return response(.accountFailure(.methodGone, frame()), status: 404, because: RequestRefusal.notFound)
        }
        return response(method.isRemovable ? .removeMethod(method, frame()) : .lastWayToSignIn(frame()))
    }

    private func devicesPage() async throws -> PageResponse {
        let position = call.request.query("after").flatMap(TimePosition.init(parsing:))
        let page = try await services.sessions.list(
            for: caller, after: position, limit: Page.deviceLimit, in: realm)
        let devices = page.sessions.map { AccountDevice($0, current: caller.session, in: realm) }
        let hasOthers = position != nil || page.next != nil || devices.count > 1
        return response(
            .devices(devices, hasOthers: hasOthers, more: page.next.map(Self.query), frame()))
    }

    private func activityPage() async throws -> PageResponse {
        var query = AuditQuery(limit: Page.activityLimit + 1)
        query.subject = account.id.rawValue
        query.since = services.signInPage.clock.now() - AccountRecords.activityPeriod
        query.cursor = call.request.query("after").flatMap(TimePosition.init(parsing:))
        let events = try await services.audit.page(query, realm.id)
        let shown = events.prefix(Page.activityLimit)
        let older = events.count > shown.count ? shown.last.map { Self.query($0.position) } : nil
        return response(.activity(shown.map { AccountActivity($0, in: realm) }, older: older, frame()))
    }

    private static func query(_ position: TimePosition) -> String {
        PercentEncoding.encode(form: [("after", position.text)])
    }

    private func authenticatorPage() throws -> PageResponse {
        // The sign-in that leads here can have added the app.
        guard !hasOneTimePassword else {
            return PageResponse(.redirect(to: path.relativePath(to: .methods)), of: realm.id)
        }
        try realm.requireTOTPAllowed()
        let started = try services.accounts.factors.start(for: caller, in: realm)
        let pending = pendingOneTimePassword(secret: started.secret, enrolment: started.sessionInfo)
        return response(.addAuthenticator(pending, frame()))
    }

    /// - Parameter secret: in Base32.
    func pendingOneTimePassword(secret: String, enrolment: String) -> PendingOneTimePassword {
        PendingOneTimePassword(
            secret: secret, enrolment: enrolment, of: account, in: realm, named: context.projectName)
    }
}

extension PendingOneTimePassword {
    /// - Parameters:
    ///   - secret: in Base32.
    ///   - projectName: `nil` if users know the project by its ID.
    init(secret: String, enrolment: String, of account: Account, in realm: Realm, named projectName: String?) {
        self.init(
            secret: secret, issuer: projectName ?? realm.project.id.rawValue,
            name: account.email?.rawValue ?? account.id.rawValue, enrolment: enrolment)
    }
}
