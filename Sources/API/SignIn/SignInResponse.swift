internal import Identity

/// The response to a sign-in: the members of its method, and those of its outcome. Every sign-in operation responds
/// with it, so a new outcome changes no endpoint.
struct SignInResponse<Members: Encodable>: Encodable {
    private let members: Members
    private let outcome: SignInOutcome

    init(_ outcome: SignInOutcome, _ members: Members) {
        self.outcome = outcome
        self.members = members
    }

    func encode(to encoder: any Encoder) throws {
        switch outcome {
        case .signedIn(let signedIn): try SessionResponse(members, signedIn).encode(to: encoder)
        case .secondFactorRequired(let challenge):
            try members.encode(to: encoder)
            try SecondFactorMembers(challenge).encode(to: encoder)
        case .confirmationNeeded(let existing, let isRecycled, let pendingToken):
            try members.encode(to: encoder)
            try ConfirmationMembers(existing, isRecycled: isRecycled, pendingToken: pendingToken).encode(to: encoder)
        case .conflict(let refusal, let pendingToken):
            try members.encode(to: encoder)
            try ConflictMembers(errorMessage: refusal.message, pendingToken: pendingToken).encode(to: encoder)
        case .phoneConflict(let conflict): try PhoneConflictMembers(conflict).encode(to: encoder)
        }
    }
}

extension SignInOutcome {
    /// The account that a response describes; `nil` if the first factor has not identified it to the client. Firebase's
    /// SDKs combine the account of a response that asks for a second factor with the tokens of the next response.
    var account: Account? {
        switch self {
        case .signedIn(let signedIn): signedIn.account
        case .secondFactorRequired(let challenge): challenge.account
        case .confirmationNeeded, .conflict, .phoneConflict: nil
        }
    }

    /// `nil` unless the user is signed in.
    var isNewAccount: Bool? {
        if case .signedIn(let signedIn) = self { signedIn.isNewAccount } else { nil }
    }

    var isSignedIn: Bool { isNewAccount != nil }
}

/// The members of a response to a sign-in that waits for a second factor. Firebase's SDKs take the presence of
/// `mfaPendingCredential` alone for this case.
private struct SecondFactorMembers: Encodable {
    let mfaPendingCredential: String
    let mfaInfo: [FactorInfo]
    /// `true` or absent. Recovery codes are not entries of ``mfaInfo``, because Firebase's JavaScript SDK fails on
    /// entries of unknown kinds.
    let recoveryCodesAvailable: Bool?

    init(_ challenge: SecondFactorChallenge) {
        let factors = challenge.account.secondFactors
        mfaPendingCredential = challenge.pendingCredential
        mfaInfo = factors.factors.map { FactorInfo($0) }
        recoveryCodesAvailable = factors.recoveryCodes == nil ? nil : true
    }
}

private struct ConfirmationMembers: Encodable {
    let needConfirmation = true
    let localId: String?
    let verifiedProvider: [String]?
    /// `true` or absent.
    let emailRecycled: Bool?
    let pendingToken: String

    init(_ existing: Account?, isRecycled: Bool, pendingToken: String) {
        localId = existing?.id.rawValue
        verifiedProvider = existing?.signInMethods.map(\.rawValue)
        emailRecycled = isRecycled ? true : nil
        self.pendingToken = pendingToken
    }
}

private struct PhoneConflictMembers: Encodable {
    let phoneNumber: String
    let temporaryProof: String
    let temporaryProofExpiresIn: String
    /// `true` or absent.
    let needConfirmation: Bool?
    let verifiedProvider: [String]?

    init(_ conflict: PhoneConflict) {
        phoneNumber = conflict.number.rawValue
        temporaryProof = conflict.temporaryProof
        temporaryProofExpiresIn = "\(PhoneConflict.proofLifetime.components.seconds)"
        needConfirmation = conflict.needsConfirmation ? true : nil
        verifiedProvider = conflict.verifiedProviders?.map(\.rawValue)
    }
}

private struct ConflictMembers: Encodable {
    let errorMessage: String
    let pendingToken: String
}
