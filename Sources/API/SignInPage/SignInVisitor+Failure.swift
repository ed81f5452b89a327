internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// Pages about flows that do not continue.
extension SignInVisitor {
    /// How long after its end a flow still leads back to its app.
    private static let memory: Duration = .seconds(86_400)

    /// Opens sealed content that may have ended.
    ///
    /// - Returns: the content and its end, for the caller to check.
    func ended<Content: SealedTokenContent>(_ type: Content.Type, from sealed: String) -> (Content, end: Instant)? {
        // The page is the same for forged content and content that ended long ago.
        guard
            let (content, key) = try? services.sealedTokens.decode(
                type, from: sealed, at: services.clock.now() - Self.memory, in: project.id)
        else { return nil }
        return (content, key.expiresAt)
    }

    /// The way back to the app, if it still accepts the URL.
    ///
    /// - Parameter error: `nil` if the app may already have a result.
    func back(of request: SignInPageRequest, error: SignInPageError? = nil) async throws -> CheckedReturn? {
        guard let realm = try await realm(of: request.tenant), let app = try await app(request.app),
            app.accepts(request.target, in: realm)
        else { return nil }
        let result = SignInResult(request, issuer: services.issuer(project.project.id))
        return CheckedReturn(request.target, url: error.map { result.url(error: $0) } ?? request.target.text)
    }

    func failure(
        _ failure: SignInFailure, because refusal: SignInPageRefusal, _ back: CheckedReturn? = nil
    ) -> PageResponse {
        var pageContext = pageContext
        if call.request.method == .get {
            let names: [ByteText] = ["flow", "link", "request"]
            pageContext.repeatingQuery = names.compactMap { name in
                call.request.query(name).map { (name.rawValue, $0) }
            }
        }
        return PageResponse(
            Page.signInFailure(failure, returningTo: back, pageContext).sessionResponse(status: 400), of: project.id,
            because: refusal)
    }
}
