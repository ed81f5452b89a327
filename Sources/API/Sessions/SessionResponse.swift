internal import Identity

/// The response to a request that can open a session: the members of its operation, and those of the outcome. Every
/// sign-in operation responds with it, so a new outcome changes no endpoint.
///
/// No other type has the members of the tokens, except the response of ``Endpoint/refreshTokens``, which has the names
/// of RFC 6749.
struct SessionResponse<Members: Encodable>: Encodable {
    private let members: Members
    /// `nil` if the request opened no session. The response then has only ``members``.
    private let outcome: SignInOutcome?
    private let lifetimeFormat: LifetimeFormat

    /// The format of `expiresIn`, in seconds.
    enum LifetimeFormat {
        /// In Firebase's operations.
        case text
        /// In Sekisho's own operations.
        case number
    }

    /// The response to a sign-in.
    init(_ members: Members, _ outcome: SignInOutcome) {
        self.members = members
        self.outcome = outcome
        lifetimeFormat = .text
    }

    /// The response to another request that can open a session.
    ///
    /// - Parameter signedIn: `nil` if the request opened no session.
    init(_ members: Members, _ signedIn: SignedIn?, lifetimeFormat: LifetimeFormat = .text) {
        self.members = members
        outcome = signedIn.map(SignInOutcome.signedIn)
        self.lifetimeFormat = lifetimeFormat
    }

    func encode(to encoder: any Encoder) throws {
        if case .phoneConflict(let conflict) = outcome {
            return try PhoneConflictMembers(conflict).encode(to: encoder)
        }
        try members.encode(to: encoder)
        switch outcome {
        case nil, .phoneConflict: break
        case .signedIn(let signedIn): try encodeTokens(of: signedIn, to: encoder)
        case .secondFactorRequired(let challenge): try SecondFactorMembers(challenge).encode(to: encoder)
        case .confirmationNeeded(let existing, let isRecycled, let pendingToken):
            try ConfirmationMembers(existing, isRecycled: isRecycled, pendingToken: pendingToken).encode(to: encoder)
        case .conflict(let refusal, let pendingToken):
            try ConflictMembers(errorMessage: refusal.message, pendingToken: pendingToken).encode(to: encoder)
        }
    }

    private enum CodingKeys: CodingKey {
        case idToken, refreshToken, expiresIn, secondFactorEnrollmentRequired
    }

    private func encodeTokens(of signedIn: SignedIn, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(signedIn.idToken, forKey: .idToken)
        try container.encode(signedIn.refreshToken, forKey: .refreshToken)
        if signedIn.isRestricted { try container.encode(true, forKey: .secondFactorEnrollmentRequired) }
        switch lifetimeFormat {
        case .text: try container.encode(signedIn.expiresInSeconds, forKey: .expiresIn)
        case .number: try container.encode(signedIn.expiresIn.components.seconds, forKey: .expiresIn)
        }
    }
}

extension SignedIn {
    /// The lifetime of the ID token in seconds, as text, because 64-bit integers are text on the wire.
    var expiresInSeconds: String { String(expiresIn.components.seconds) }
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
