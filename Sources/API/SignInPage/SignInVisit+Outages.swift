internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    /// Calls `respond`. If a part of the gateway or the project's backend does not respond, returns a page with a way
    /// back to the app.
    func reportingOutages(_ respond: () async throws -> PageResponse) async throws -> PageResponse {
        do {
            return try await respond()
        } catch let error where error.isOutage {
            let page = Page.signInFailure(.unavailable, returningTo: appReturn(error: .serverError), pageContext)
            var response = page.sessionResponse(status: 503)
            response.headers.add("Retry-After", "2")
            var answer = PageResponse(response, of: realm.id)
            answer.fault = error
            return answer
        }
    }

    /// Returns to the app at once if the page has nothing to offer for the request; otherwise returns `nil`.
    func resultWithoutPage() -> PageResponse? {
        if request.operation == .link, let provider = request.provider,
            request.subject?.methods.contains(provider) == true
        {
            return PageResponse(.redirect(to: appReturn(error: .alreadyLinked).url), of: realm.id)
        }
        let offer = offer
        guard offer.screen.isEmpty, !offersPasskeys else { return nil }
        return PageResponse(
            .redirect(to: appReturn(error: .notAvailable).url), of: realm.id, because: offer.refusal)
    }
}

extension Error {
    /// Whether the same request can succeed soon.
    fileprivate var isOutage: Bool {
        self is StoreUnavailable || self is Overloaded || self is PersistentConflict || self is HookUnavailable
    }
}
