public import Foundation

/// Proof of the account that stays in a merge.
public enum MergeTarget: Sendable {
    /// A credential of an identity of that account, for example ``AuthErrorCode/updatedCredential`` of a conflict.
    case credential(AuthCredential)
    /// A user of that account who signed in recently, for example with another instance of ``Auth`` for this gateway.
    case user(User)
}

/// What a merge would do. Pass it to ``User/merge(_:)`` if the user agrees.
public struct MergePreview: Sendable {
    /// The account that is merged and then does not exist any more (the source).
    public let sourceUID: String
    /// The account that stays (the target).
    public let targetUID: String
    /// What the target gets.
    public let moves: MergeMoves
    /// What is lost: `email`, `password`, `phoneNumber` or `customClaims`.
    public let drops: [String]
    /// Until when the preview can be used.
    public let expiresAt: Date
    let token: String
}

extension MergePreview: CustomStringConvertible, CustomReflectable {
    /// The two accounts, without the merge token, which proves the user's consent.
    public var description: String { "MergePreview(sourceUID: \(sourceUID), targetUID: \(targetUID))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["sourceUID": sourceUID, "targetUID": targetUID]) }
}

/// What the account that stays gets from the other.
public struct MergeMoves: Hashable, Sendable {
    /// Providers whose identities move.
    public let providers: [String]
    /// Whether the email address moves, with its password.
    public let email: Bool
    /// Whether the phone number moves.
    public let phoneNumber: Bool
    /// Whether the name moves.
    public let displayName: Bool
    /// Whether the picture moves.
    public let photoURL: Bool

    init(_ moves: MergeResponse.Moves) {
        providers = moves.providers ?? []
        email = moves.email ?? false
        phoneNumber = moves.phoneNumber ?? false
        displayName = moves.displayName ?? false
        photoURL = moves.photoUrl ?? false
    }
}

/// What a merge did.
public struct MergeResult: Sendable {
    /// The user of the account that stays, who is signed in now.
    public let user: User
    /// The account that was merged.
    public let sourceUID: String
    /// What the account that stays got.
    public let moves: MergeMoves
    /// What was lost.
    public let drops: [String]
    /// Until when the app's backend, or a link in an email to the user, can undo the merge.
    public let undoableUntil: Date?
}

extension User {
    /// Returns what a merge of this account into another would do. Nothing changes.
    ///
    /// - Parameter target: proof of the account that stays.
    public func previewMerge(into target: MergeTarget) async throws -> MergePreview {
        let received: Received<MergeResponse> = try await withIDToken(.concernsRequest) { [core] idToken in
            var request = MergeDryRunRequest(idToken: idToken)
            switch target {
            case .credential(let credential):
                request.credential = try credential.idpCredential
                request.pendingToken = (credential as? OAuthCredential)?.pendingToken
                guard request.credential != nil || request.pendingToken != nil else {
                    throw AuthErrorCode.invalidCredential.with(
                        "Merging requires a provider credential or a recent sign-in.")
                }
            case .user(let user):
                try core.requireSameServer(user)
                request.targetIdToken = try await user.freshTokens().idToken
            }
            return try await core.post("/v1/accounts:merge", request)
        }
        guard let token = received.value.mergeToken else {
            throw AuthErrorCode.internalError.with("The response contains no merge token.")
        }
        let now = core.options.clock.now()
        return MergePreview(
            sourceUID: received.value.sourceLocalId, targetUID: received.value.localId,
            moves: MergeMoves(received.value.moves), drops: received.value.drops,
            expiresAt: now + (received.value.mergeTokenExpiresIn?.value ?? 600), token: token)
    }

    /// Merges this account into the other, as the preview described, and signs in to the account that stays.
    ///
    /// If the response is lost, the user has to sign in to that account.
    public func merge(_ preview: MergePreview) async throws -> MergeResult {
        let core = core
        return try await replacingTokens(.concernsRequest) { idToken in
            let received: Received<MergeResponse> = try await core.post(
                "/v1/accounts:merge", MergeCommitRequest(idToken: idToken, mergeToken: preview.token))
            let result = try await core.completeSignIn(
                Authentication(tokens: try .required(received.tokens), info: nil, credential: nil))
            return MergeResult(
                user: result.user, sourceUID: received.value.sourceLocalId, moves: MergeMoves(received.value.moves),
                drops: received.value.drops,
                undoableUntil: received.value.undoableUntil.map { Date(timeIntervalSince1970: $0.value / 1000) })
        }
    }
}
