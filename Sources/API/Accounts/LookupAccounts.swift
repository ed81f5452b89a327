internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the accounts that have one of the given IDs, addresses, phone numbers or identities.
    static let lookUpAccounts = administrator(
        "lookUpAccounts", .post, "/v1/projects/{project}/accounts:lookup", needs: .readUsers
    ) { call, administrator in
        try await call.lookupAccounts(for: administrator)
    }
}

extension EndpointCall {
    func lookupAccounts(for administrator: Administrator) async throws -> Response {
        let request = try body(as: LookupAccountsRequest.self, for: administrator)
        let accounts = try await services.accounts.administration.find(
            try request.references(), in: administrator.realm)
        return try .json(LookupAccountsResponse(accounts, of: administrator.realm.tenant))
    }
}

private struct LookupAccountsRequest: Decodable {
    let localId: [String]?
    let email: [String]?
    let phoneNumber: [String]?
    let federatedUserId: [FederatedUserID]?
    let initialEmail: [PresenceOnly]?

    struct FederatedUserID: Decodable {
        let providerId: String?
        let rawId: String?
    }

    /// The maximum number of accounts that a request names.
    static let limit = 100

    /// Returns references to the accounts that the request names. Ignores invalid email addresses and phone numbers,
    /// because no account can have them.
    func references() throws(RequestRefusal) -> [AccountReference] {
        guard initialEmail?.isEmpty != false else { throw .notImplemented("initialEmail") }
        let counts = [localId?.count, email?.count, phoneNumber?.count, federatedUserId?.count]
        guard counts.reduce(0, { $0 + ($1 ?? 0) }) <= Self.limit else {
            throw .invalidField("", "must not name more than \(Self.limit) accounts")
        }
        return (localId ?? []).map { .id(ID($0)) }
            + (email ?? []).compactMap(EmailAddress.init).map { .email($0) }
            + (phoneNumber ?? []).compactMap(PhoneNumber.init).map { .phoneNumber($0) }
            + (federatedUserId ?? []).map {
                .identity(provider: ProviderID($0.providerId ?? ""), subject: ByteText($0.rawId ?? ""))
            }
    }
}

private struct LookupAccountsResponse: Encodable {
    let kind = "identitytoolkit#GetAccountInfoResponse"
    /// Absent if no account was found.
    let users: [UserInfo]?

    init(_ accounts: [Account], of tenant: Tenant?) {
        users = accounts.isEmpty ? nil : accounts.map { .forAdministrators($0, of: tenant) }
    }
}
