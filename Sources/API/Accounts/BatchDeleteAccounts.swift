internal import HTTP
internal import Identity

extension Endpoint {
    /// Deletes up to 1000 accounts. Unless `force` is true, keeps and reports the accounts that are not disabled.
    /// Ignores IDs that no account has.
    static let batchDeleteAccounts = batch(
        "batchDeleteAccounts", "/v1/projects/{project}/accounts:batchDelete", needs: .writeUsers
    ) { call, administrator, request in
        let ids = (request as BatchDeleteRequest).localIds ?? []
        guard (1...1000).contains(ids.count) else { throw RequestRefusal.rejected(.localIDListExceedsLimit) }
        let notDisabled = try await call.services.accounts.administration.delete(
            ids.map { ID($0) }, onlyDisabled: request.force != true, in: administrator.realm, by: administrator.actor)
        return try .json(BatchDeleteResponse(ids, notDisabled: notDisabled))
    }.servingDisabledTenants
}

private struct BatchDeleteRequest: Decodable {
    let localIds: [String]?
    let force: Bool?
}

private struct BatchDeleteResponse: Encodable {
    /// Absent if no account was kept.
    let errors: [Fault]?

    struct Fault: Encodable {
        let index: Int
        let localId: String
        let message = "NOT_DISABLED : Disable the account before batch deletion."
    }

    init(_ ids: [String], notDisabled: Set<ID<Account>>) {
        let faults = ids.enumerated().filter { notDisabled.contains(ID($0.element)) }
            .map { Fault(index: $0.offset, localId: $0.element) }
        errors = faults.isEmpty ? nil : faults
    }
}
