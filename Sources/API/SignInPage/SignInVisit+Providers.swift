internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    /// Redirects the browser to a provider.
    func startProvider(_ provider: ProviderID) async throws -> PageResponse {
        try await show(screen: .signIn, .notAvailable, status: 400)
    }
}
