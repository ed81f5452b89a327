/// The second factors of an account. See ``User/multiFactor``.
public struct MultiFactor: Sendable {
    let user: User

    /// The enrolled second factors, the oldest first. Call ``User/reload()`` after the user has changed them on another
    /// device.
    public var enrolledFactors: [MultiFactorInfo] {
        (user.session.current.profile.factors ?? []).map(MultiFactorInfo.info)
    }

    /// Returns a session to enroll a second factor with.
    public func session() async throws -> MultiFactorSession {
        // The gateway rejects an old login, so the caller learns of it before the user sees a dialog.
        MultiFactorSession(.enrollment(user))
    }

    /// Enrolls a second factor. The account needs a verified email address. The gateway replaces this session by one
    /// with the factor; other sessions of the account continue.
    ///
    /// - Parameter displayName: the name to show to the user.
    /// - Throws: ``AuthErrorCode/invalidVerificationCode``; ``AuthErrorCode/requiresRecentLogin``;
    ///   ``AuthErrorCode/unverifiedEmail``; ``AuthErrorCode/secondFactorAlreadyEnrolled``;
    ///   ``AuthErrorCode/maximumSecondFactorCountExceeded``; ``AuthErrorCode/unsupportedFirstFactor`` if the user signed
    ///   in anonymously, with a telephone number or with a custom token; ``AuthErrorCode/operationNotAllowed``.
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

/// The enrollment of a second factor, or a sign-in that waits for one. See ``MultiFactor/session()`` and
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

/// A proof of a second factor. ``PhoneMultiFactorGenerator`` and ``TOTPMultiFactorGenerator`` create it.
public class MultiFactorAssertion: @unchecked Sendable {
    enum Proof: Sendable {
        case phone(PhoneVerification)
        case totpEnrollment(TOTPSecret, code: String)
        case totpSignIn(factor: String, code: String)
    }

    /// The type of the factor: ``PhoneMultiFactorID`` or ``TOTPMultiFactorID``.
    public let factorID: String
    let proof: Proof

    fileprivate init(_ proof: Proof, factorID: String) {
        self.proof = proof
        self.factorID = factorID
    }
}

extension MultiFactorAssertion: CustomStringConvertible, CustomReflectable {
    /// The type only. Contains no code.
    public var description: String { "MultiFactorAssertion(factorID: \(factorID))" }
    /// The type only.
    public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}

/// A proof of a telephone number.
public final class PhoneMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
    fileprivate init(_ verification: PhoneVerification) {
        super.init(.phone(verification), factorID: PhoneMultiFactorInfo.factorID)
    }
}

/// A proof of a one-time password.
public final class TOTPMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
    fileprivate init(_ proof: Proof) { super.init(proof, factorID: TOTPMultiFactorInfo.factorID) }
}

/// Creates proofs of telephone numbers.
public enum PhoneMultiFactorGenerator {
    /// - Parameter credential: from ``PhoneAuthProvider/credential(withVerificationID:verificationCode:)``.
    public static func assertion(with credential: PhoneAuthCredential) -> PhoneMultiFactorAssertion {
        // A credential of a conflict has no code, and the gateway rejects it as a missing one.
        PhoneMultiFactorAssertion(credential.verification ?? PhoneVerification(sessionInfo: "", code: ""))
    }
}

/// Creates secrets and proofs of one-time passwords.
public enum TOTPMultiFactorGenerator {
    /// Creates the secret that the user enters in an authenticator app. The gateway stores nothing yet.
    ///
    /// - Parameter session: from ``MultiFactor/session()``.
    /// - Throws: as ``MultiFactor/enroll(with:displayName:)``.
    public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
        guard case .enrollment(let user) = session.purpose else { throw AuthErrorCode.missingMultiFactorSession }
        let response: StartFactorEnrollmentResponse = try await user.withIDToken {
            try await user.core.post(
                "/v2/accounts/mfaEnrollment:start",
                StartFactorEnrollmentRequest(idToken: $0, totpEnrollmentInfo: EmptyObject()))
        }
        guard let info = response.totpSessionInfo else { throw AuthErrorCode.internalError }
        return TOTPSecret(info)
    }

    /// Proves that the authenticator app has the secret.
    public static func assertionForEnrollment(
        with secret: TOTPSecret, oneTimePassword: String
    ) -> TOTPMultiFactorAssertion {
        TOTPMultiFactorAssertion(.totpEnrollment(secret, code: oneTimePassword))
    }

    /// Proves an enrolled one-time password.
    ///
    /// - Parameter enrollmentID: the ``MultiFactorInfo/uid`` of one of ``MultiFactorResolver/hints``.
    public static func assertionForSignIn(
        withEnrollmentID enrollmentID: String, oneTimePassword: String
    ) -> TOTPMultiFactorAssertion {
        TOTPMultiFactorAssertion(.totpSignIn(factor: enrollmentID, code: oneTimePassword))
    }
}

extension TOTPMultiFactorGenerator {
    /// Completion-handler form of the `async` method.
    public static func generateSecret(
        with session: MultiFactorSession, completion: @escaping (TOTPSecret?, (any Error)?) -> Void
    ) {
        MainQueue.complete(completion) { try await generateSecret(with: session) }
    }
}
