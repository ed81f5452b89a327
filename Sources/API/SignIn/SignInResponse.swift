internal import Identity

/// The response to a sign-in: the members of its method, and those of its outcome. Every sign-in operation responds
/// with it, so a new outcome changes no endpoint.
struct SignInResponse<Members: Encodable>: Encodable {
    private let members: Members
    private let outcome: SignInOutcome

    /// - Parameter members: returns the method's members. Its argument is `nil` if no user was signed in.
    init(_ outcome: SignInOutcome, members: (SignedIn?) -> Members) {
        self.outcome = outcome
        let signedIn: SignedIn? = if case .signedIn(let signedIn) = outcome { signedIn } else { nil }
        self.members = members(signedIn)
    }

    func encode(to encoder: any Encoder) throws {
        switch outcome {
        case .signedIn(let signedIn): try SessionResponse(members, signedIn).encode(to: encoder)
        case .confirmationNeeded(let existing, let isRecycled, let pendingToken):
            try members.encode(to: encoder)
            try ConfirmationMembers(existing, isRecycled: isRecycled, pendingToken: pendingToken).encode(to: encoder)
        case .conflict(let refusal, let pendingToken):
            try members.encode(to: encoder)
            try ConflictMembers(errorMessage: refusal.message, pendingToken: pendingToken).encode(to: encoder)
        }
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

private struct ConflictMembers: Encodable {
    let errorMessage: String
    let pendingToken: String
}
