public import Foundation

extension User {
    /// Returns what the gateway stores about the user, as a JSON document that the app can offer as a file: the
    /// profile, the claims, the sign-in methods, the sessions and the activity of the last 90 days. It contains no
    /// secrets.
    ///
    /// The user gets an email about the export. An account can be exported three times per day.
    ///
    /// - Throws: ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/tooManyRequests``.
    public func exportData() async throws -> Data {
        try await withIDToken(onAccountError: .keepUser) { [core] idToken in
            try await core.postForData("/v1/accounts:export", IDTokenRequest(idToken: idToken))
        }
    }
}
