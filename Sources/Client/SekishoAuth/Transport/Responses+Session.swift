internal import Foundation

extension SessionTokens {
    /// - Returns: `nil` if a member is missing or not valid.
    init?(idToken: String?, refreshToken: String?, expiresIn: StringEncodedNumber?, requestedAt: ClockReading) {
        guard let idToken, let refreshToken, !refreshToken.isEmpty, let lifetime = expiresIn?.value, lifetime > 0
        else { return nil }
        self.init(
            idToken: idToken, refreshToken: refreshToken, lifetime: lifetime, requestedAt: requestedAt.gatewayTime,
            clockOffset: requestedAt.clockOffset ?? 0, requestedUptime: requestedAt.uptime)
    }

    /// Returns the tokens of a response that must contain them.
    ///
    /// - Throws: ``AuthErrorCode/internalError`` if `tokens` is `nil`.
    static func required(_ tokens: SessionTokens?) throws -> SessionTokens {
        guard let tokens else { throw AuthErrorCode.internalError.with("The response contains no tokens.") }
        return tokens
    }
}

/// A response with the members of a session.
protocol SessionTokenResponse: Sendable {
    var idToken: String? { get }
    var refreshToken: String? { get }
    var expiresIn: StringEncodedNumber? { get }
}

extension SessionResponse: SessionTokenResponse {}
extension SignInWithIdpResponse: SessionTokenResponse {}
extension MergeResponse: SessionTokenResponse {}

extension TimedResponse where Value: SessionTokenResponse {
    /// The tokens, or `nil` if a member is missing or not valid.
    var tokens: SessionTokens? {
        SessionTokens(
            idToken: value.idToken, refreshToken: value.refreshToken, expiresIn: value.expiresIn,
            requestedAt: requestedAt)
    }
}

extension TimedResponse<TokenResponse> {
    /// The tokens, or `nil` if a member is not valid.
    var tokens: SessionTokens? {
        SessionTokens(
            idToken: value.accessToken, refreshToken: value.refreshToken, expiresIn: value.expiresIn,
            requestedAt: requestedAt)
    }
}

extension Profile {
    init(_ user: LookupUser) {
        self.init(
            uid: user.localId, email: user.email, isEmailVerified: user.emailVerified ?? false,
            displayName: user.displayName, photoURL: user.photoUrl, phoneNumber: user.phoneNumber,
            identities: (user.providerUserInfo ?? []).map(ProviderProfile.init),
            createdAt: user.createdAt.map { $0.value / 1000 }, lastSignInAt: user.lastLoginAt.map { $0.value / 1000 },
            passkeys: user.passkeyInfo?.map(PasskeyProfile.init), factors: user.mfaInfo?.map(FactorProfile.init))
    }

    /// Creates a profile from the claims of an ID token, without the linked providers.
    init(_ claims: IDTokenClaims) {
        self.init(
            uid: claims.subject, email: claims.values["email"]?.string,
            isEmailVerified: claims.values["email_verified"]?.bool ?? false,
            displayName: claims.values["name"]?.string, photoURL: claims.values["picture"]?.string,
            phoneNumber: claims.values["phone_number"]?.string)
    }
}

extension PasskeyProfile {
    init(_ passkey: LookupPasskey) {
        self.init(
            credentialID: passkey.credentialId, name: passkey.name ?? "",
            createdAt: passkey.createdAt?.date.timeIntervalSince1970,
            lastUsedAt: passkey.lastUsedAt?.date.timeIntervalSince1970, isBackedUp: passkey.backedUp ?? false)
    }
}

extension FactorProfile {
    init(_ factor: LookupFactor) {
        self.init(
            uid: factor.mfaEnrollmentId, displayName: factor.displayName,
            enrolledAt: factor.enrolledAt?.date.timeIntervalSince1970 ?? 0, phoneNumber: factor.phoneInfo)
    }
}

extension ProviderProfile {
    init(_ info: ProviderUserInfo) {
        self.init(
            providerID: info.providerId, uid: info.rawId ?? info.federatedId ?? info.email ?? "", email: info.email,
            displayName: info.displayName, photoURL: info.photoUrl, phoneNumber: info.phoneNumber)
    }
}
