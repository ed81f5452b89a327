/// The second factors of an account. See ``User/multiFactor``.
public struct MultiFactor: Sendable {
    let user: User

    /// The enrolled second factors, the oldest first. Call ``User/reload()`` after the user has changed them on another
    /// device.
    public var enrolledFactors: [MultiFactorInfo] {
        (user.session.current.profile.factors ?? []).map(MultiFactorInfo.info)
    }

    /// Returns a session to enrol a second factor with.
    public func session() async throws -> MultiFactorSession {
        // The gateway rejects an old login, so the caller learns of it before the user sees a dialog.
        MultiFactorSession(.enrollment(user))
    }

    /// Enrols a second factor. The account needs a verified email address. The gateway replaces this session by one
    /// with the factor; other sessions of the account continue.
    ///
    /// - Parameter displayName: the name to show to the user.
    /// - Throws: ``AuthErrorCode/invalidVerificationCode``; ``AuthErrorCode/requiresRecentLogin``;
    ///   ``AuthErrorCode/unverifiedEmail``; ``AuthErrorCode/secondFactorAlreadyEnrolled``;
    ///   ``AuthErrorCode/maximumSecondFactorCountExceeded``; ``AuthErrorCode/unsupportedFirstFactor`` if the user
    ///   signed in anonymously, with a telephone number or with a custom token; ``AuthErrorCode/operationNotAllowed``.
    public func enroll(with assertion: MultiFactorAssertion, displayName: String? = nil) async throws {
        let user = user
        try await replaceSession { idToken in
            var request = FinalizeFactorEnrollmentRequest(idToken: idToken, displayName: displayName)
            switch assertion.proof {
            case .phone(let proof): request.phoneVerificationInfo = proof
            case .totpEnrollment(let secret, let code):
                request.totpVerificationInfo = .init(sessionInfo: secret.sessionInfo, verificationCode: code)
            case .totpSignIn: throw AuthErrorCode.missingMultiFactorSession
            }
            return try await user.core.post("/v2/accounts/mfaEnrollment:finalize", request)
        }
    }

    /// Withdraws a second factor.
    ///
    /// - Throws: ``AuthErrorCode/multiFactorInfoNotFound``; ``AuthErrorCode/requiresRecentLogin``.
    public func unenroll(with factor: MultiFactorInfo) async throws { try await unenroll(withFactorUID: factor.uid) }

    /// Withdraws the second factor with this ID. See ``unenroll(with:)``.
    public func unenroll(withFactorUID factorUID: String) async throws {
        let user = user
        try await replaceSession { idToken in
            try await user.core.post(
                "/v2/accounts/mfaEnrollment:withdraw",
                WithdrawFactorRequest(idToken: idToken, mfaEnrollmentId: factorUID))
        }
    }

    /// Generates ten recovery codes, each of which replaces the second factor at one sign-in. Earlier codes become
    /// invalid. Show the codes once: the gateway stores only their hashes.
    ///
    /// - Throws: ``AuthErrorCode/multiFactorInfoNotFound`` if the account has no second factor;
    ///   ``AuthErrorCode/requiresRecentLogin``.
    public func generateRecoveryCodes() async throws -> [String] {
        let user = user
        let response: RecoveryCodesResponse = try await user.withIDToken {
            try await user.core.post("/v2/accounts/recoveryCodes:generate", IDTokenRequest(idToken: $0))
        }
        return response.recoveryCodes
    }

    /// Sends a request whose response has the tokens of a new session, adopts them and reloads the profile.
    private func replaceSession(
        _ request: @escaping @Sendable (_ idToken: String) async throws -> TimedResponse<SessionResponse>
    ) async throws {
        let user = user
        try await user.replacingTokens { idToken in
            let tokens = try SessionTokens.required(try await request(idToken).tokens)
            guard try IDTokenClaims(of: tokens.idToken).subject == user.uid else {
                throw AuthErrorCode.responseForAnotherUser
            }
            await user.adopt(tokens, since: idToken)
        }
        // The factor is changed. If the profile cannot be loaded now, the next `reload()` loads it.
        do {
            try await user.reload()
        } catch let error as AuthErrorCode where error.isTransient {}
    }
}

extension MultiFactor {
    /// Completion-handler form of ``session()``.
    public func getSessionWithCompletion(_ completion: ((MultiFactorSession?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.session() }
    }

    /// Completion-handler form of the `async` method.
    public func enroll(
        with assertion: MultiFactorAssertion, displayName: String?, completion: (((any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) { try await self.enroll(with: assertion, displayName: displayName) }
    }

    /// Completion-handler form of the `async` method.
    public func unenroll(with factor: MultiFactorInfo, completion: (((any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.unenroll(with: factor) }
    }

    /// Completion-handler form of the `async` method.
    public func unenroll(withFactorUID factorUID: String, completion: (((any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.unenroll(withFactorUID: factorUID) }
    }
}

/// The enrolment of a second factor, or a sign-in that waits for one. See ``MultiFactor/session()`` and
/// ``MultiFactorResolver/session``.
public final class MultiFactorSession: Sendable {
    enum Purpose: Sendable {
        case enrollment(User)
        /// - Parameter pendingCredential: stands for the proven first factor.
        case signIn(pendingCredential: String)
    }

    let purpose: Purpose

    init(_ purpose: Purpose) { self.purpose = purpose }
}

extension MultiFactorSession: CustomStringConvertible, CustomReflectable {
    /// Contains no credential.
    public var description: String { "MultiFactorSession" }
    /// Contains no credential.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
