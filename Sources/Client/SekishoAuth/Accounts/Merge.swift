public import Foundation

/// Proof that the user owns the target account of a merge.
public enum MergeTarget: Sendable {
    /// An identity provider's credential that is linked to the target, for example the
    /// ``AuthErrorCode/updatedCredential`` of ``AuthErrorCode/credentialAlreadyInUse``.
    case credential(AuthCredential)
    /// A user who is signed in to the target with a recent login, for example in another ``Auth`` instance for the same
    /// gateway.
    case user(User)
}

/// The effects of a merge that has not been performed. Pass it to ``User/merge(_:)`` if the user agrees.
public struct MergePreview: Sendable {
    /// The ID of the source account, which is merged into the target and then removed.
    public let sourceUID: String
    /// The ID of the target account, which stays.
    public let targetUID: String
    /// What the target gets from the source.
    public let moves: MergeMoves
    /// What the source has and the target does not get: any of `email`, `password`, `phoneNumber`, `customClaims`. A
    /// display name or photo URL that does not move is not listed.
    public let drops: [String]
    /// When the preview expires, by the device's clock.
    public let expiresAt: Date
    let mergeToken: String
}

extension MergePreview: CustomStringConvertible, CustomReflectable {
    /// The IDs of the two accounts. Does not contain the merge token.
    public var description: String { "MergePreview(sourceUID: \(sourceUID), targetUID: \(targetUID))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["sourceUID": sourceUID, "targetUID": targetUID]) }
}

/// What the target of a merge gets from the source.
public struct MergeMoves: Hashable, Sendable {
    /// The IDs of the providers whose identities move.
    public let providers: [String]
    /// Whether the email address moves, with its password.
    public let email: Bool
    /// Whether the phone number moves.
    public let phoneNumber: Bool
    /// Whether the display name moves.
    public let displayName: Bool
    /// Whether the photo URL moves.
    public let photoURL: Bool

    init(_ moves: MergeResponse.Moves) {
        providers = moves.providers ?? []
        email = moves.email ?? false
        phoneNumber = moves.phoneNumber ?? false
        displayName = moves.displayName ?? false
        photoURL = moves.photoUrl ?? false
    }
}

/// The effects of a merge.
public struct MergeResult: Sendable {
    /// The user of the target, who is now the current user.
    public let user: User
    /// The ID of the source account, which does not exist any more.
    public let sourceUID: String
    /// What the target got from the source.
    public let moves: MergeMoves
    /// What the source had and the target did not get. See ``MergePreview/drops``.
    public let drops: [String]
    /// Until when the merge can be undone, by the app's backend or with a link in an email to the user.
    public let undoableUntil: Date?
}

extension User {
    /// Returns the effects of merging this account into another. Changes nothing.
    ///
    /// - Parameter target: proof that the user owns the target account.
    /// - Throws: ``AuthErrorCode/invalidCredential`` or ``AuthErrorCode/missingOrInvalidNonce`` for an invalid proof;
    ///   ``AuthErrorCode/userNotFound`` if the proof belongs to no account; ``AuthErrorCode/requiresRecentLogin``;
    ///   ``AuthErrorCode/providerAlreadyLinked`` if both accounts have an identity of the same provider;
    ///   ``AuthErrorCode/internalError`` with the ``AuthErrorCode/serverCode`` `MERGE_SAME_ACCOUNT` if the target is
    ///   this account, or `RECOVERY_PENDING` if this account's email address was changed and the link that restores the
    ///   previous address is still valid.
    public func previewMerge(into target: MergeTarget) async throws -> MergePreview {
        let received: TimedResponse<MergeResponse> = try await withIDToken(onAccountError: .keepUser) {
            [core] idToken in
            var request = MergeDryRunRequest(idToken: idToken)
            switch target {
            case .credential(let credential):
                request.credential = try credential.idpCredential
                request.pendingToken = (credential as? OAuthCredential)?.pendingToken
                guard request.credential != nil || request.pendingToken != nil else {
                    throw AuthErrorCode.invalidCredential.with(
                        "A merge requires an identity provider's credential or a user with a recent login.")
                }
            case .user(let user):
                try core.requireSameServer(user)
                request.targetIdToken = try await user.freshTokens().idToken
            }
            return try await core.post("/v1/accounts:merge", request)
        }
        guard let mergeToken = received.value.mergeToken else {
            throw AuthErrorCode.internalError.with("The response contains no merge token.")
        }
        let now = core.options.clock.now()
        // If the response does not state the lifetime of the merge token, 600 seconds are assumed, as in the gateway.
        return MergePreview(
            sourceUID: received.value.sourceLocalId, targetUID: received.value.localId,
            moves: MergeMoves(received.value.moves), drops: received.value.drops,
            expiresAt: now + (received.value.mergeTokenExpiresIn?.value ?? 600), mergeToken: mergeToken)
    }

    /// Merges this account into the target of a preview, and signs in to the target.
    ///
    /// - Throws: ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/invalidCredential`` if the preview has expired;
    ///   ``AuthErrorCode/internalError`` with the ``AuthErrorCode/serverCode`` `MERGE_PREVIEW_OUTDATED` if an account
    ///   has changed since the preview. After ``AuthErrorCode/networkError``, the accounts may be merged already: the
    ///   user then has to sign in to the target.
    public func merge(_ preview: MergePreview) async throws -> MergeResult {
        let core = core
        return try await replacingTokens(onAccountError: .keepUser) { idToken in
            let received: TimedResponse<MergeResponse> = try await core.post(
                "/v1/accounts:merge", MergeCommitRequest(idToken: idToken, mergeToken: preview.mergeToken))
            let result = try await core.completeSignIn(
                Authentication(tokens: try .required(received.tokens), additionalUserInfo: nil, credential: nil))
            return MergeResult(
                user: result.user, sourceUID: received.value.sourceLocalId, moves: MergeMoves(received.value.moves),
                drops: received.value.drops,
                undoableUntil: received.value.undoableUntil?.date)
        }
    }
}
