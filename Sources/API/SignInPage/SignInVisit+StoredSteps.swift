internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    func state() async throws -> SignInPageState { try await services.steps.state(of: flow, in: realm) }

    /// Stores the next step, and redirects the browser to it.
    func store(_ step: SignInPageStep, hasNewCode: Bool = false) async throws -> PageResponse {
        try await keep(step, hasNewCode: hasNewCode)
        return PageResponse(.redirect(to: pageURL), of: realm.id)
    }

    /// Stores the next step.
    func keep(_ step: SignInPageStep, hasNewCode: Bool = false) async throws {
        try await update(hasNewCode: hasNewCode) { $0.step = step }
    }

    /// Stores the flow with a changed state. Ends the session of a step that is replaced, because no user can complete
    /// that step any more.
    func update(hasNewCode: Bool = false, _ change: (inout SignInPageState) -> Void = { _ in }) async throws {
        let replaced = try await services.steps.update(
            flow, until: end, hasNewCode: hasNewCode, in: realm, from: context, change)
        guard let replaced, try await !services.codes.isFinished(flow, in: realm) else { return }
        try await services.codes.discard(replaced, in: realm)
    }

    /// Forgets a step that can no longer be completed. The conflict of the flow stays.
    func forgetStep() async throws {
        try await update { $0.step = nil }
    }

    /// Forgets the step and the conflict of the flow, and ends the session of the step.
    func forgetState() async throws {
        guard try await state() != SignInPageState() else { return }
        try await update { $0 = SignInPageState() }
    }

    /// Forgets a step, and ends its session. The next step stays, if another request has replaced the step.
    func withdraw(_ step: SignInPageStep) async throws {
        try await update { if $0.step == step { $0 = SignInPageState() } }
    }

    func store(_ conflict: SignInPageConflict) async throws -> PageResponse {
        let visit = try showing(conflict)
        try await visit.update { $0 = SignInPageState(conflict: conflict) }
        return PageResponse(.redirect(to: visit.pageURL), of: realm.id)
    }

    /// Returns the visit whose pages show a conflict, or no conflict.
    func showing(_ conflict: SignInPageConflict?) throws -> SignInVisit {
        var flow = flow
        flow.conflict = conflict?.id
        flow.email = conflict?.email ?? flow.email
        return try with(flow)
    }

    /// Whether the pages of the flow show a conflict that another tab has replaced or ended.
    func isOutdated() async throws -> Bool {
        guard flow.conflict != nil else { return false }
        return try await state().conflict(of: flow) == nil
    }

    /// Shows the methods, because the conflict that the page shows is no longer that of the flow.
    func showOutdated() async throws -> PageResponse {
        try await showing(nil).show(
            screen: .signIn, .previewOutdated, status: 400, because: SignInPageRefusal.previewOutdated)
    }

    /// - Returns: `nil` if the flow is at its first step.
    func show(
        _ state: SignInPageState, _ problem: SignInProblem? = nil, status: Int = 200,
        because refusal: (any Refusal)? = nil
    ) async throws -> PageResponse? {
        switch state.step {
        case .secondFactor(_, let factors, _, let sessionInfo, let passkeyOwner):
            let passkey = passkeyOwner == nil ? nil : try passkeyCeremony()
            var screen = SecondFactorScreen(factors, isCodeSent: sessionInfo != nil, passkey: passkey)
            screen.rejectsRecoveryCode = problem != nil && FormFields(call.request)?[signIn: .factor] == "recovery"
            return response(.secondFactor(screen, step(problem), pageContext), status: status, because: refusal)
        case .emailCode(let email):
            return response(
                .emailCode(
                    sentTo: email.recipient, isOwners: request.operation == .reauthenticate,
                    isForSignUp: email.passwordHash != nil, step(problem), pageContext),
                status: status, because: refusal)
        case .guest(let preview): return show(preview, problem, status: status, because: refusal)
        case .held(let held):
            // The question was shown before, or to another browser.
            if let page = try await showEnrolment(held) { return page }
            return try await show(
                screen: .signIn, problem ?? .codeExpired, status: status, because: refusal)
        case nil:
            return try state.conflict(of: flow).map { try show($0, problem, status: status, because: refusal) }
        }
    }

    func show(
        _ conflict: SignInPageConflict, _ problem: SignInProblem?, status: Int, because refusal: (any Refusal)?
    ) throws -> PageResponse {
        var screen = offer.screen
        screen.email = flow.email ?? ""
        screen.offersGuest = false
        screen.offersSignUp = false
        screen.passkey = try passkeyCeremony()
        return response(
            .conflict(
                screen, provider: name(of: conflict.provider), known: conflict.isHidden ? nil : conflict.methods,
                isLinked: conflict.pendingToken != nil, step(problem), pageContext),
            status: status, because: refusal)
    }

    func submitSecondFactor(_ fields: FormFields) async throws -> PageResponse {
        guard
            case .secondFactor(let pending, let factors, let stays, let sessionInfo, let owner) = try await state().step
        else {
            return try await show(screen: .signIn, .codeExpired, status: 400)
        }
        let code = Secret(fields[signIn: .code] ?? "")
        let method = call.services.signIn.secondFactor
        let presented: SecondFactorSignIn.Presented
        switch (fields[signIn: .factor], sessionInfo) {
        case ("sms", let sessionInfo?): presented = .phone(sessionInfo: sessionInfo, code: code)
        case ("recovery", _): presented = .recoveryCode(code)
        case (let id?, _):
            guard let factor = factors.first(where: { $0.id.isExactly(id) }) else {
                throw FactorRefusal.factorUnknown
            }
            guard factor.kind == .totp else {
                let sent = try await method.start(pending, with: ID(factor.id), in: realm, from: context)
                return try await store(
                    .secondFactor(
                        pendingCredential: pending, factors: factors, stays: stays, sessionInfo: sent,
                        passkeyOwner: owner))
            }
            presented = .totp(ID(factor.id), code: code)
        case (nil, _): throw FactorRefusal.missingFactor
        }
        let signedIn = try await method.finalize(pending, with: presented, for: app, in: realm, from: context)
        return try await finish(.signedIn(signedIn), stays: stays)
    }

    /// Returns to the methods: a proven identity is forgotten, and so is the account into which a guest would merge.
    func startOver() async throws -> PageResponse {
        let state = try await state()
        let isForgotten = if case .guest = state.step { true } else { state.conflict(of: flow) != nil }
        if isForgotten { try await forgetState() }
        return PageResponse(.redirect(to: try showing(nil).pageURL), of: realm.id)
    }
}
