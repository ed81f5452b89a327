internal import Encoding
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Tokens

/// The checks of projects and their tenants.
extension DatabaseCheck {
    /// Checks the configuration of a project and its tenants, including App Review guideline 4.8 (login services). For
    /// a tenant, lists only violations of guideline 4.8 and the problems that the project does not have, because a
    /// project may have many tenants.
    func configuration(
        of realm: Realm, _ tenants: [Realm], at now: Instant
    ) async throws -> [Finding] {
        let configured = try await ProjectStore(pool: pool, supporting: .live).apps(of: realm.project.id)
        let apps = configured.map(\.app)
        let problems = problems(of: configured, in: realm)
        return problems.map { Finding($0, in: realm.location) }
            + (realm.policy.requiresAppleOnEveryPlatform
                ? []
                : [
                    Finding(
                        isGood: true, isNote: true,
                        text:
                            "\(realm.location): guideline 4.8 applies only to apps for Apple's platforms, because the policy requiresAppleOnEveryPlatform is false"
                    )
                ])
            + apps.map { loginServices(of: $0, in: realm, at: now) }
            + appleClientIDs(of: [realm] + tenants, apps)
            + tenants.flatMap { tenant in
                self.problems(of: configured, in: tenant).filter { !problems.contains($0) }
                    .map { Finding($0, in: tenant.location) }
                    + apps.map { loginServices(of: $0, in: tenant, at: now) }.filter { !$0.isGood }
            }
    }

    /// Lists accounts whose second factors are not demanded, as after an import into a realm that does not ask for
    /// them, and notes those that have only factors of kinds that users can no longer enrol.
    func secondFactors(of realm: Realm, _ enrolled: [EnrolledAccounts]) -> [Finding] {
        let policy = realm.policy.secondFactors
        func text(_ count: Int, _ rest: String) -> String {
            "\(realm.location): \(count) \(count == 1 ? "account has" : "accounts have") \(rest)"
        }
        let all = enrolled.reduce(0) { $0 + $1.count }
        guard policy.state != .disabled || all == 0 else {
            return [
                Finding(
                    isGood: false,
                    text: text(
                        all,
                        "a second factor, which no sign-in asks for: enable second factors, or remove these"
                    ))
            ]
        }
        let switchedOff = enrolled.filter { !$0.kinds.contains(where: policy.allows) }.reduce(0) { $0 + $1.count }
        return switchedOff == 0
            ? []
            : [
                Finding(
                    isGood: true, isNote: true,
                    text: text(
                        switchedOff,
                        "only second factors that users can no longer enroll: sign-ins still ask for them; a user without the device needs a recovery code, or `sekisho users reset-factors`"
                    ))
            ]
    }

    /// Checks whether the gateway can send codes to telephone numbers, if users of a project or its tenants need them.
    ///
    /// - Parameter enrolled: the accounts with second factors, by realm.
    func textMessages(
        of realm: Realm, _ tenants: [Realm], _ enrolled: [ID<Realm>: [EnrolledAccounts]]
    ) -> [Finding] {
        let sms = realm.project.sms
        func finding(_ text: String) -> Finding { Finding(isGood: false, text: "\(realm.location), sms: \(text)") }
        let needsCodes = ([realm] + tenants).contains { realm in
            let factors = realm.policy.secondFactors
            let hasNumbers = (enrolled[realm.id] ?? []).contains { $0.kinds.contains(.phone) }
            return realm.policy.allowsPhoneNumbers
                || factors.state != .disabled && (factors.allowsSMS || hasNumbers)
        }
        guard sms.url != nil else {
            return needsCodes
                ? [finding("no code is sent, because there is no sender: set sms.url, or turn telephone numbers off")]
                : []
        }
        var findings: [Finding] = []
        if sms.format == .webhook, !sms.hasSecret {
            findings.append(finding("the requests to the sender are not signed: set sms.secret"))
        }
        if sms.username != nil, !sms.hasSecret {
            findings.append(finding("the sender has a user name and no password: set sms.secret"))
        }
        if sms.format == .form, sms.fields.isEmpty { findings.append(finding("the sender's form has no fields")) }
        if sms.allowedCallingCodes.isEmpty, sms.regions == .none {
            findings.append(finding("no code is sent, because no calling code is allowed: set allowedCallingCodes"))
        }
        if sms.budgetPerDay == 0 { findings.append(finding("no code is sent, because budgetPerDay is 0")) }
        let withoutBudget = sms.allowedCallingCodes.filter { sms.perCallingCode[ByteText($0)] == 0 }
        if !withoutBudget.isEmpty {
            let codes = withoutBudget.map { "+\($0)" }.joined(separator: ", ")
            findings.append(finding("no code is sent to \(codes), which are allowed, but have a budget of 0"))
        }
        return findings
    }

    /// Lists what the operator has to verify about Apple's client IDs, each note only for the first realm.
    private func appleClientIDs(of realms: [Realm], _ apps: [App]) -> [Finding] {
        var seen: Set<Realm.AppleClientIDNote> = []
        return realms.flatMap { realm in
            realm.appleClientIDNotes(for: apps).filter { seen.insert($0).inserted }
                .map { Finding(isGood: true, isNote: true, text: "\(realm.location): \($0)") }
        }
    }

    /// Lists the hosts that several projects share. On these hosts, Android before version 15 may open a link of one
    /// project with an app of another.
    func sharedHosts() async throws -> [Finding] {
        try await ProjectStore(pool: pool, supporting: .live).associatedApps().sharedHostsWithAndroidApps.map {
            host, projects in
            Finding(
                isGood: true, isNote: true,
                text:
                    "host \(host): Android before version 15 may open links of one of the projects \(projects.map(\.rawValue).joined(separator: ", ")) with an app of another; give each project a host of its own"
            )
        }
    }

    /// Lists the unfinished transfers of a project or tenant to another Apple team. They are notes and not problems,
    /// because sign-ins keep working.
    func unfinishedTransfers(of realm: Realm) async throws -> [Finding] {
        let options = "--project \(realm.project.id)" + (realm.tenant.map { " --tenant \($0.id)" } ?? "")
        let counts = try await AppleTransferStore(pool: pool).countsOfWaitingImports(in: realm.id)
        return counts.sorted { $0.key < $1.key }.map { team, count in
            Finding(
                isGood: true, isNote: true,
                text:
                    "\(realm.location): \(count) \(count == 1 ? "identity is" : "identities are") not yet moved to team \(team): run `sekisho apple import-transfers \(options)`"
            )
        }
    }

    /// Returns the problems of the stored configuration, except violations of guideline 4.8. A stored configuration can
    /// have problems, because an edit is rejected only for problems that it adds. The project's name is not loaded, and
    /// therefore not checked. The host of the emails' action URL is not checked, because it may be the gateway's own
    /// host, which is not known here.
    private func problems(of apps: [ConfiguredApp], in realm: Realm) -> [ConfigurationProblem] {
        ProjectConfiguration(realm: realm, name: "unchecked", apps: apps).problems(by: .live(supporting: .live))
            .filter { !$0.isLoginServicesViolation && $0 != .emailActionHost }
    }

    private func loginServices(of app: App, in realm: Realm, at now: Instant) -> Finding {
        let location = realm.location
        let graceEnd = app.withoutEndedGracePeriod(at: now).graceEndsAt
        let grace = graceEnd.map { "; it is tolerated until \($0.iso8601)" } ?? ""
        let services = LoginServices(of: app, in: realm)
        let violations = services.violations
        guard violations.isEmpty else {
            let advice = violations.contains(where: \.isDueToPolicy) ? "; \(LoginServicesViolation.policyAdvice)" : ""
            let texts = violations.map(\.descriptionWithKind).joined(separator: "; ")
            return Finding(
                isGood: false, text: "\(location), app \(app.id): LOGIN_SERVICES_4_8 : \(texts)\(advice)\(grace)")
        }
        return Finding(
            isGood: true,
            text: "\(location), app \(app.id): "
                + (services.isBeyondRule ? "guideline 4.8 does not apply" : "complies with guideline 4.8"))
    }

    func signingKeys(of project: ID<Project>, at now: Instant) async throws -> Finding {
        let stored = try await SigningKeyStore(pool: pool).unretiredKeys(in: project, at: now)
        do {
            let ring = try KeyRing(stored, of: project, under: masterKeys)
            let canSign = ring.canSign(at: now)
            return Finding(
                isGood: canSign,
                text: "project \(project): signing keys"
                    + (canSign
                        ? " can sign"
                        : ": none signs ID tokens now, or none refresh tokens: run `sekisho keys list-signing-keys`"))
        } catch {
            return Finding(
                isGood: false,
                text: "project \(project): signing keys cannot be decrypted: check SEKISHO_MASTER_KEY")
        }
    }
}

extension Realm {
    fileprivate var location: String { "project \(project.id)" + (tenant.map { ", tenant \($0.id)" } ?? "") }
}

extension DatabaseCheck.Finding {
    fileprivate init(_ problem: ConfigurationProblem, in location: String) {
        self.init(isGood: false, text: "\(location): \(ErrorCode.invalidConfig.rawValue) : \(problem)")
    }
}
