internal import HTTP
internal import Identity

extension Endpoint {
    /// Merges two accounts for an administrator: a dry run returns a merge token, and a second request with the token
    /// commits the merge. The response contains no session.
    static let mergeAccounts = administrator(
        "mergeAccounts", .post, "/v1/projects/{project}/accounts:merge", needs: .linkUsers
    ) { call, administrator in
        let request = try call.body(as: MergeAccountsRequest.self, for: administrator)
        let linking = call.services.accounts.linking
        if let mergeToken = try request.checkedMergeToken() {
            let merged = try await linking.merge(
                mergeToken, by: administrator.actor, with: administrator.scopes, in: administrator.realm,
                from: call.context)
            return try .json(MergeMembers(merged))
        }
        let preview = try await linking.previewMerge(
            of: try ID(required: request.sourceLocalId), into: try ID(required: request.localId),
            in: administrator.realm)
        return try .json(MergeMembers(preview))
    }

    /// Restores the source account of a merge.
    static let undoMerge = administrator(
        "undoMerge", .post, "/v1/projects/{project}/accounts:undoMerge", needs: .linkUsers
    ) { call, administrator in
        let request = try call.body(as: UndoMergeRequest.self, for: administrator)
        let source = try ID<Account>(required: request.sourceLocalId)
        let target = try await call.services.accounts.linking.undoMerge(
            of: source, allowsNoSignInMethod: request.allowNoSignInMethod == true, by: administrator.actor,
            in: administrator.realm)
        return try .json(UndoMergeResponse(sourceLocalId: source.rawValue, localId: target.rawValue))
    }
}

private struct MergeAccountsRequest: Decodable, MergeStepRequest {
    /// The source account, which is deleted.
    let sourceLocalId: String?
    /// The target account, which remains.
    let localId: String?
    let dryRun: Bool?
    let mergeToken: String?
}

private struct UndoMergeRequest: Decodable {
    let sourceLocalId: String?
    let allowNoSignInMethod: Bool?
}

private struct UndoMergeResponse: Encodable {
    let kind = "sekisho#UndoMergeResponse"
    let sourceLocalId: String
    let localId: String
}
