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
