/// A sign-in or a reauthentication that waits for a second factor. See ``AuthErrorCode/multiFactorResolver``:
///
///     do {
///         try await Auth.auth().signIn(withEmail: email, password: password)
///     } catch let error as AuthErrorCode where error == .secondFactorRequired {
///         guard let resolver = error.multiFactorResolver else { throw error }
///         let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
///             withEnrollmentID: resolver.hints[0].uid, oneTimePassword: code)
///         try await resolver.resolveSignIn(with: assertion)
///     }
public final class MultiFactorResolver: Sendable {
    /// What the first factor was used for.
    enum Purpose: Sendable {
        case signIn
        /// - Parameter user: the user who authenticates again.
        case reauthentication(User)
    }

    /// The instance with which the user proved the first factor.
    public let auth: Auth
    /// The session to request a code with. Valid for five minutes and for one sign-in.
    public let session: MultiFactorSession
    /// The second factors of the account, the oldest first.
    public let hints: [MultiFactorInfo]
    /// Whether the account has recovery codes. See ``resolveSignIn(withRecoveryCode:)``.
    public let recoveryCodesAvailable: Bool
    private let core: AuthCore
    private let challenge: FactorChallenge
    private let purpose: Purpose
    private let additionalUserInfo: AdditionalUserInfo?
    private let credential: OAuthCredential?

    init(
        _ challenge: FactorChallenge, for purpose: Purpose = .signIn, additionalUserInfo: AdditionalUserInfo?,
        credential: OAuthCredential? = nil, core: AuthCore
    ) {
        self.challenge = challenge
        self.purpose = purpose
        self.additionalUserInfo = additionalUserInfo
        self.credential = credential
        self.core = core
        auth = core.auth
        session = MultiFactorSession(.signIn(pendingCredential: challenge.pendingCredential))
        hints = challenge.factors.map(MultiFactorInfo.info)
        recoveryCodesAvailable = challenge.recoveryCodesAvailable
    }

    /// Returns a resolver that reauthenticates `user` instead of signing in.
    func reauthenticating(_ user: User) -> MultiFactorResolver {
        MultiFactorResolver(
            challenge, for: .reauthentication(user), additionalUserInfo: additionalUserInfo, credential: credential,
            core: core)
    }

    /// Finishes the sign-in with a second factor. A wrong code leaves the resolver usable.
    ///
    /// - Throws: ``AuthErrorCode/invalidVerificationCode``; ``AuthErrorCode/sessionExpired``;
    ///   ``AuthErrorCode/invalidMultiFactorSession`` if the sign-in is too old or was finished: begin again.
    ///   ``AuthErrorCode/tooManyRequests``; ``AuthErrorCode/userDisabled``.
    @discardableResult public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
        var request = FinalizeFactorSignInRequest(
            tenantId: core.tenantID, mfaPendingCredential: challenge.pendingCredential)
        switch assertion.proof {
        case .phone(let proof): request.phoneVerificationInfo = proof
        case .totpSignIn(let factor, let code):
            request.mfaEnrollmentId = factor
            request.totpVerificationInfo = .init(verificationCode: code)
        case .totpEnrollment: throw AuthErrorCode.missingMultiFactorInfo
        }
        return try await finish(request)
    }

    /// Finishes the sign-in with a recovery code, if the user has lost the second factor. Each code works once.
    ///
    /// - Throws: as ``resolveSignIn(with:)``.
    @discardableResult public func resolveSignIn(withRecoveryCode code: String) async throws -> AuthDataResult {
        try await finish(
            FinalizeFactorSignInRequest(
                tenantId: core.tenantID, mfaPendingCredential: challenge.pendingCredential,
                recoveryCodeInfo: .init(code: code)))
    }

    private func finish(_ request: FinalizeFactorSignInRequest) async throws -> AuthDataResult {
        let (core, additionalUserInfo, credential) = (core, additionalUserInfo, credential)
        let send: @Sendable () async throws -> Authentication = {
            let response: TimedResponse<SessionResponse> = try await core.post(
                "/v2/accounts/mfaSignIn:finalize", request)
            return Authentication(
                tokens: try .required(response.tokens), additionalUserInfo: additionalUserInfo,
                credential: credential)
        }
        switch purpose {
        case .signIn: return try await core.performSignIn(send)
        case .reauthentication(let user):
            try await user.replacingTokens(onAccountError: .keepUser) { idToken in
                let authentication = try await send()
                guard try IDTokenClaims(of: authentication.tokens.idToken).subject == user.uid else {
                    await core.revokeSessionIgnoringErrors(authentication.tokens.idToken)
                    throw AuthErrorCode.userMismatch
                }
                await user.adopt(authentication.tokens, since: idToken)
            }
            return AuthDataResult(user: user, additionalUserInfo: additionalUserInfo, credential: credential)
        }
    }
}

extension MultiFactorResolver {
    /// Completion-handler form of the `async` method.
    public func resolveSignIn(
        with assertion: MultiFactorAssertion, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) { try await self.resolveSignIn(with: assertion) }
    }
}

extension MultiFactorResolver: CustomStringConvertible, CustomReflectable {
    /// The number of factors. Contains no credential.
    public var description: String { "MultiFactorResolver(hints: \(hints.count))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["hints": hints.count]) }
}

/// The part of a response that asks for a second factor.
struct FactorChallenge: Sendable {
    let pendingCredential: String
    let factors: [FactorProfile]
    let recoveryCodesAvailable: Bool
}

/// A response that can ask for a second factor.
protocol FactorChallengeResponse {
    var mfaPendingCredential: String? { get }
    var mfaInfo: [LookupFactor]? { get }
    var recoveryCodesAvailable: Bool? { get }
}

extension SessionResponse: FactorChallengeResponse {}
extension SignInWithIdpResponse: FactorChallengeResponse {}

extension FactorChallengeResponse {
    /// - Throws: ``AuthErrorCode/secondFactorRequired`` if the response asks for a second factor.
    func requireNoFactor(
        additionalUserInfo: AdditionalUserInfo?, credential: OAuthCredential? = nil, core: AuthCore
    ) throws {
        guard let mfaPendingCredential else { return }
        let challenge = FactorChallenge(
            pendingCredential: mfaPendingCredential, factors: (mfaInfo ?? []).map(FactorProfile.init),
            recoveryCodesAvailable: recoveryCodesAvailable == true)
        throw AuthErrorCode.secondFactorRequired.with(
            MultiFactorResolver(
                challenge, additionalUserInfo: additionalUserInfo, credential: credential, core: core))
    }
}
