internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    /// The step that waits for the user; `nil` if the flow is at its first step.
    func storedStep() async throws -> SignInPageStep? { try await services.steps.step(of: flow, in: realm) }

    /// Stores the next step, and redirects the browser to it.
    func store(_ step: SignInPageStep) async throws -> PageResponse {
        try await services.steps.set(step, of: flow, in: realm, from: context)
        return PageResponse(.redirect(to: pageURL), of: realm.id)
    }

    func show(
        _ stored: SignInPageStep, _ problem: SignInProblem? = nil, status: Int = 200,
        because refusal: (any Refusal)? = nil
    ) async throws -> PageResponse {
        switch stored {
        case .passkeyOffer(let offer):
            return try await show(offer, problem, status: status, because: refusal)
        case .secondFactor(_, let factors, _, let sessionInfo, let passkeyOwner):
            let passkey = passkeyOwner == nil ? nil : try passkeyCeremony()
            return response(
                .secondFactor(
                    SecondFactorScreen(factors, isCodeSent: sessionInfo != nil, passkey: passkey), step(problem),
                    pageContext),
                status: status, because: refusal)
        case .conflict(_, let provider, let email, let methods):
            let offer = SignInOffer(of: app, in: realm, for: request, usesAppleImage: showsAppleImage)
            var screen = offer.screen
            screen.email = email ?? ""
            screen.offersGuest = false
            screen.offersSignUp = false
            screen.passkey = try passkeyCeremony()
            let name = realm.settings(of: provider)?.openID?.displayName
            return response(
                .conflict(
                    screen, provider: ProviderButton.name(of: provider, displayName: name), known: methods,
                    step(problem), pageContext),
                status: status, because: refusal)
        }
    }

    func submitSecondFactor(_ fields: FormFields) async throws -> PageResponse {
        guard
            case .secondFactor(let pending, let factors, let stays, let sessionInfo, let owner) = try await storedStep()
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

    /// Signs in without linking: the proven identity is forgotten.
    func forgetConflict() async throws -> PageResponse {
        try await services.steps.remove(of: flow, in: realm)
        return PageResponse(.redirect(to: pageURL), of: realm.id)
    }
}
