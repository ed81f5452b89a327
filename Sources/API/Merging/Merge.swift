internal import HTTP
internal import Identity

extension Endpoint {
    /// Merges two accounts: a dry run returns a merge token, and a second request with the token commits the merge.
    static let mergeOwnAccounts = client("mergeOwnAccounts", .post, "/v1/accounts:merge") { call, client in
        let request = try call.body(as: MergeRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let merging = call.services.merging
        if let mergeToken = try request.checkedMergeToken() {
            let merged = try await merging.commit(
                idToken: idToken, mergeToken: mergeToken, in: client.realm, from: call.context)
            return try .json(SessionResponse(MergeMembers(merged), merged.signedIn, lifetimeFormat: .number))
        }
        let preview = try await merging.preview(
            idToken: idToken, into: try request.target(), for: client.app, in: client.realm,
            from: call.context)
        return try .json(MergeMembers(preview))
    }
}

/// A request for the dry run of a merge, or for the merge itself.
protocol MergeStepRequest {
    var dryRun: Bool? { get }
    var mergeToken: String? { get }
}

extension MergeStepRequest {
    /// - Returns: the merge token, which identifies the merge to commit; `nil` if this request is a dry run.
    func checkedMergeToken() throws(RequestRefusal) -> String? {
        guard let mergeToken = mergeToken.nonEmpty else {
            guard dryRun == true else { throw .rejected(.missingMergeToken, "Request a dry run first.") }
            return nil
        }
        guard dryRun != true else {
            throw .invalidField("/dryRun", "must be false or absent if mergeToken is present")
        }
        return mergeToken
    }
}

private struct MergeRequest: IdpRequest, MergeStepRequest {
    /// ID token of the source account, which is deleted.
    let idToken: String?
    let dryRun: Bool?
    let mergeToken: String?
    let requestUri: String?
    let postBody: String?
    let credential: IdpCredential?
    let pendingToken: String?
    /// ID token of the target account, which remains.
    let targetIdToken: String?
    let tenantId: String?
    let targetProjectId: String?

    func target() throws(RequestRefusal) -> MergeTarget {
        guard let targetIdToken = targetIdToken.nonEmpty else { return .identity(try proof()) }
        guard credential == nil, postBody.nonEmpty == nil, pendingToken.nonEmpty == nil else {
            throw .invalidField("", "must have only one of credential, postBody, pendingToken and targetIdToken")
        }
        return .login(idToken: targetIdToken)
    }
}

struct MergeMembers: Encodable {
    struct Moves: Encodable {
        let providers: [String]
        let email: Bool
        let phoneNumber: Bool
        let displayName: Bool
        let photoUrl: Bool
    }

    let kind = "sekisho#MergeAccountsResponse"
    /// The source account, which is deleted.
    let sourceLocalId: String
    /// The target account, which remains.
    let localId: String
    /// What the target account gets from the source account.
    let moves: Moves
    /// The members of the source account that the merge discards; see ``MergePlan/dropped``.
    let drops: [String]
    /// Commits the merge. Present only after a dry run, like ``mergeTokenExpiresIn``.
    var mergeToken: String?
    /// In seconds.
    var mergeTokenExpiresIn: Int64?
    /// Present only after a merge.
    var undoableUntil: String?

    init(_ preview: AccountMerging.Preview) {
        self.init(preview.plan)
        mergeToken = preview.mergeToken
        mergeTokenExpiresIn = AccountMerging.previewLifetime.components.seconds
    }

    init(_ merged: AccountMerging.Merged) {
        self.init(merged.plan)
        undoableUntil = merged.undoableUntil.iso8601
    }

    init(_ merged: LinkAdministration.Merged) {
        self.init(merged.plan)
        undoableUntil = merged.undoableUntil.iso8601
    }

    private init(_ plan: MergePlan) {
        sourceLocalId = plan.source.rawValue
        localId = plan.target.rawValue
        moves = Moves(
            providers: plan.identities.map(\.provider.rawValue), email: plan.movesEmail,
            phoneNumber: plan.movesPhoneNumber, displayName: plan.movesDisplayName, photoUrl: plan.movesPhoto)
        drops = plan.dropped.map(\.rawValue)
    }
}
