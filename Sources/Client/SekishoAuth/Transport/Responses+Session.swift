internal import Foundation

extension SessionTokens {
    /// - Returns: `nil` if a member is missing or cannot be used.
    init?(idToken: String?, refreshToken: String?, expiresIn: DecimalText?, sentAt: GatewayTime) {
        guard let idToken, let refreshToken, !refreshToken.isEmpty, let lifetime = expiresIn?.value, lifetime > 0
        else { return nil }
        self.init(
            idToken: idToken, refreshToken: refreshToken, lifetime: lifetime, receivedAt: sentAt.gatewayTime,
            clockOffset: sentAt.clockOffset ?? 0, receivedUptime: sentAt.uptime)
    }

    /// Returns tokens or throws, for responses that must contain them.
    static func required(_ tokens: SessionTokens?) throws -> SessionTokens {
        guard let tokens else { throw AuthErrorCode.internalError.with("The response contains no tokens.") }
        return tokens
    }
}

extension Received<SessionResponse> {
    var tokens: SessionTokens? {
        SessionTokens(
            idToken: value.idToken, refreshToken: value.refreshToken, expiresIn: value.expiresIn, sentAt: sentAt)
    }
}

extension Received<SignInWithIdpResponse> {
    var tokens: SessionTokens? {
        SessionTokens(
            idToken: value.idToken, refreshToken: value.refreshToken, expiresIn: value.expiresIn, sentAt: sentAt)
    }
}

extension Received<MergeResponse> {
    var tokens: SessionTokens? {
        SessionTokens(
            idToken: value.idToken, refreshToken: value.refreshToken, expiresIn: value.expiresIn, sentAt: sentAt)
    }
}

extension Received<TokenResponse> {
    var tokens: SessionTokens? {
        SessionTokens(
            idToken: value.accessToken, refreshToken: value.refreshToken, expiresIn: value.expiresIn, sentAt: sentAt)
    }
}

extension Profile {
    init(_ user: LookupUser) {
        self.init(
            uid: user.localId, email: user.email, isEmailVerified: user.emailVerified ?? false,
            displayName: user.displayName, photoURL: user.photoUrl, phoneNumber: user.phoneNumber,
            identities: (user.providerUserInfo ?? []).map(ProviderProfile.init),
            createdAt: user.createdAt.map { $0.value / 1000 }, lastSignInAt: user.lastLoginAt.map { $0.value / 1000 },
            hasPassword: user.passwordHash.map { !$0.isEmpty } ?? false)
    }

    /// The claims of an ID token, for when the gateway signed the user in and then did not answer.
    init(_ claims: IDTokenClaims) {
        self.init(
            uid: claims.subject, email: claims.values["email"]?.string,
            isEmailVerified: claims.values["email_verified"]?.bool ?? false,
            displayName: claims.values["name"]?.string, photoURL: claims.values["picture"]?.string,
            phoneNumber: claims.values["phone_number"]?.string)
    }
}

extension ProviderProfile {
    init(_ info: ProviderUserInfo) {
        self.init(
            providerID: info.providerId, uid: info.rawId ?? info.federatedId ?? info.email ?? "", email: info.email,
            displayName: info.displayName, photoURL: info.photoUrl, phoneNumber: info.phoneNumber)
    }
}
