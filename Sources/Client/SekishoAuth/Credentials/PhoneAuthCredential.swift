/// A proof of a telephone number.
public final class PhoneAuthCredential: AuthCredential, @unchecked Sendable {
    private let takesOver: Bool

    init(_ content: CredentialContent, takesOver: Bool = false) {
        self.takesOver = takesOver
        super.init(provider: PhoneAuthProvider.id, content)
    }

    /// Returns the credential for the new holder of a number, after
    /// ``AuthErrorCode/accountExistsWithDifferentCredential``: the account that has the number loses it, and the
    /// sign-in creates an account. Ask the user first whether the account is theirs.
    public func takingOverNumber() -> PhoneAuthCredential { PhoneAuthCredential(content, takesOver: true) }

    var verification: PhoneVerification? {
        if case .phone(.verification(let verification)) = content { verification } else { nil }
    }

    /// The request that proves the number.
    ///
    /// - Parameter operation: the wire's `operation`.
    func request(_ operation: String, idToken: String?, tenantID: String?) -> SignInWithPhoneNumberRequest {
        var request = SignInWithPhoneNumberRequest(tenantId: tenantID, idToken: idToken, operation: operation)
        switch content {
        case .phone(.verification(let verification)):
            (request.sessionInfo, request.code) = (verification.sessionInfo, verification.code)
        case .phone(.temporaryProof(let proof, let number)):
            (request.temporaryProof, request.phoneNumber) = (proof, number)
        case .password, .emailLink, .idp, .pendingToken, .browser: break
        }
        request.takeOver = takesOver ? true : nil
        return request
    }
}

/// What proves a telephone number.
enum PhoneCredentialContent: Sendable {
    case verification(PhoneVerification)
    /// A proof from a response about a conflict.
    case temporaryProof(String, number: String)
}
