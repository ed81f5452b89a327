/// The parts of a request that are too long for pages.
private struct StoredState: SealedTokenContent {
    static let purpose = "sign-in page app state"
    static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid

    let state: String
    let subject: SignInPageRequest.Subject?
}

extension SignInPageSteps {
    /// The longest `state` that pages carry: that of 32 bytes in base64url. Pages repeat the flow in each form and
    /// link, so a longer `state` would make them too large.
    private static let lengthOnPages = 43

    /// Stores the app's `state` and the subject of a new flow, if the `state` is long or there is a subject.
    ///
    /// - Returns: the flow. It is unchanged if the client's network has stored too much: then the pages carry the
    ///   `state`.
    public func storingState(
        of flow: SignInPageFlow, until end: Instant, in project: Realm, from context: RequestContext
    ) async throws -> SignInPageFlow {
        let request = flow.request
        guard request.state.utf8.count > Self.lengthOnPages || request.subject != nil else { return flow }
        do {
            try limiter.count(
                .authorizationFlows(from: context.network), Policy.authorizationFlowLimit,
                Policy.authorizationFlowWindow, ID(project.project.id))
        } catch {
            return flow
        }
        let sealed = try sealedTokens.encode(
            StoredState(state: request.state, subject: request.subject), until: end, in: project.id)
        try await store.set(
            sealed, of: stateKey(of: flow), replacing: nil, resetsAttempts: false, until: end, in: project.id)
        var stored = flow
        stored.hasStoredState = true
        return stored
    }

    /// Returns the flow of a page, with the app's `state`.
    ///
    /// - Returns: `nil` if the `state` is no longer stored, or has expired.
    public func restoringState(of flow: SignInPageFlow, in project: Realm) async throws -> SignInPageFlow? {
        guard flow.hasStoredState else { return flow }
        guard let content = try await store.content(of: stateKey(of: flow), in: project.id),
            let (stored, _) = try? sealedTokens.decode(StoredState.self, from: content, at: clock.now(), in: project.id)
        else { return nil }
        var restored = flow
        (restored.request.state, restored.request.subject) = (stored.state, stored.subject)
        return restored
    }

    private func stateKey(of flow: SignInPageFlow) -> [UInt8] { secrets.hash("state." + flow.id) }
}
