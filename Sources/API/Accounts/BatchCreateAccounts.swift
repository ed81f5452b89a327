internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Imports accounts from another system.
    static let batchCreateAccounts = batch(
        "batchCreateAccounts", "/v1/projects/{project}/accounts:batchCreate", needs: .writeUsers
    ) { try await $0.importAccounts($2, for: $1) }

    /// The operation ``batchCreateAccounts`` under its legacy name.
    static let uploadAccounts = batch(
        "uploadAccounts", "/v1/accounts:upload", needs: .writeUsers
    ) { (call, administrator, request: BatchCreateRequest) in
        try request.requireTargetProject()
        return try await call.importAccounts(request, for: administrator)
    }
}

extension EndpointCall {
    fileprivate func importAccounts(
        _ request: BatchCreateRequest, for administrator: Administrator
    ) async throws -> Response {
        if request.containsIdentities || request.containsFactors { try administrator.require(.linkUsers) }
        let convert = services.accounts.convertImportedUser
        let rows = try await offLoopIfLarge(for: administrator.realm.project.id) {
            try request.checkedRows().map { row in
                if let convert { row.user.map(convert) } else { row.user }
            }
        }
        let scheme = try request.scheme.scheme()
        let administration = services.accounts.administration
        let storedScheme =
            request.containsHashes
            ? try await administration.storeKey(of: scheme, in: administrator.realm)
            : StoredPasswordScheme(scheme, key: nil)
        let (now, tenant) = (administration.now, administrator.realm.tenant)
        let factors = ImportedUser.FactorTreatment.stored(
            dropsWithoutSecret: request.dropsTotpFactors == true,
            isDemanded: administrator.realm.policy.secondFactors.state != .disabled)
        let entries = try await offLoopIfLarge(for: administrator.realm.project.id) {
            CheckedEntries(rows, hashedWith: storedScheme, in: tenant, factors: factors, at: now)
        }
        var faults = entries.faults
        // For each account that was not stored: the member (such as the address) whose value was already taken.
        let takenMembers = try await administration.importAccounts(
            entries.imports.map(\.entry), overwrite: request.overwrite(by: administrator), in: administrator.realm,
            from: context, by: administrator.actor)
        for (index, entry) in entries.imports {
            if let member = takenMembers[entry.account.id] { faults[index] = ImportedUser.Fault(taken: member).message }
        }
        return try .json(BatchCreateResponse(faults, changes: entries.changes.filter { faults[$0.key] == nil }))
    }
}

/// The accounts to import, what of them is changed, and the reasons why entries are rejected, by the index of the
/// entry.
private struct CheckedEntries: Sendable {
    private(set) var imports: [(index: Int, entry: AccountAdministration.Import)] = []
    private(set) var changes: [Int: String] = [:]
    private(set) var faults: [Int: String] = [:]

    init(
        _ rows: [Result<ImportedUser, ImportedUser.Fault>], hashedWith scheme: StoredPasswordScheme, in tenant: Tenant?,
        factors: ImportedUser.FactorTreatment, at now: Instant
    ) {
        for (index, row) in rows.enumerated() {
            do throws(ImportedUser.Fault) {
                let checked = try row.get().entry(
                    at: now, hashedWith: scheme, in: tenant, factors: factors, passkeys: .dropped)
                imports.append((index, checked.entry))
                if !checked.changes.isEmpty {
                    changes[index] = checked.changes.map(\.message).joined(separator: "; ")
                }
            } catch {
                faults[index] = error.message
            }
        }
    }
}

private struct BatchCreateRequest: LegacyBatchRequest {
    let targetProjectId: String?
    let rows: [Row]?
    let allowOverwrite: Bool?
    let sanityCheck: Bool?
    let dropsTotpFactors: Bool?
    let scheme: PasswordSchemeInput

    private enum CodingKeys: String, CodingKey {
        case users, allowOverwrite, sanityCheck, dropsTotpFactors, targetProjectId
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        targetProjectId = try container.decodeIfPresent(String.self, forKey: .targetProjectId)
        rows = try container.decodeIfPresent([Row].self, forKey: .users)
        allowOverwrite = try container.decodeIfPresent(Bool.self, forKey: .allowOverwrite)
        sanityCheck = try container.decodeIfPresent(Bool.self, forKey: .sanityCheck)
        dropsTotpFactors = try container.decodeIfPresent(Bool.self, forKey: .dropsTotpFactors)
        scheme = try PasswordSchemeInput(from: decoder)
    }

    /// An entry. If it cannot be decoded, only this entry is rejected.
    struct Row: Decodable, Sendable {
        let user: Result<ImportedUser, ImportedUser.Fault>

        init(from decoder: any Decoder) {
            do {
                user = .success(try ImportedUser(from: decoder))
            } catch {
                user = .failure(ImportedUser.Fault(decoding: error))
            }
        }
    }

    /// The maximum number of entries.
    static let userLimit = 1000
    /// The maximum number of entries with `rawPassword`. Each of these passwords is hashed while the request waits,
    /// which costs as much as a sign-in.
    static let rawPasswordLimit = 100

    /// Returns which existing accounts the import replaces. Replacing an account removes its identities and second
    /// factors, so an administrator without the scope `users.link` can only replace accounts without them.
    func overwrite(by administrator: Administrator) -> ImportOverwrite {
        guard allowOverwrite == true else { return .none }
        return administrator.scopes.allows(.linkUsers) ? .all : .accountsWithoutIdentities
    }

    /// The entries that could be decoded.
    private var users: [ImportedUser] { (rows ?? []).compactMap { try? $0.user.get() } }
    var containsFactors: Bool { users.contains { !($0.mfaInfo ?? []).isEmpty } }
    var containsIdentities: Bool { users.contains { !$0.linkableProviders.isEmpty } }
    var containsHashes: Bool { users.contains { $0.passwordHash.nonEmpty != nil } }

    /// - Throws: ``RequestRefusal`` if the request is rejected as a whole.
    func checkedRows() throws(RequestRefusal) -> [Row] {
        guard let rows, !rows.isEmpty else { throw .rejected(.missingUserAccount) }
        guard rows.count <= Self.userLimit else { throw .rejected(.maximumUserCountExceeded) }
        let users = users
        guard users.count(where: { $0.rawPassword.nonEmpty != nil }) <= Self.rawPasswordLimit else {
            throw .invalidField("/users", "must not have more than \(Self.rawPasswordLimit) items with rawPassword")
        }
        if sanityCheck == true { try checkSanity(of: users) }
        if allowOverwrite != true, let id = users.compactMap(\.localId.nonEmpty).map(ByteText.init).firstDuplicate {
            throw .rejected(.duplicateLocalID, id.rawValue)
        }
        return rows
    }

    /// Rejects the request if two entries have the same address or the same identity.
    private func checkSanity(of users: [ImportedUser]) throws(RequestRefusal) {
        let emails = users.compactMap(\.email.nonEmpty).map { EmailAddress($0)?.rawValue ?? $0.lowercased() }
        if let email = emails.map(ByteText.init).firstDuplicate {
            throw .rejected(.duplicateEmail, email.rawValue)
        }
        let identities = users.flatMap { $0.linkableProviders }.map {
            [ByteText($0.providerId ?? ""), ByteText($0.rawId ?? "")]
        }
        if let duplicate = identities.firstDuplicate {
            throw .rejected(.duplicateRawID, "Provider id(\(duplicate[0].rawValue)), Raw id(\(duplicate[1].rawValue))")
        }
    }
}

private struct BatchCreateResponse: Encodable {
    let kind = "identitytoolkit#UploadAccountResponse"
    /// Absent if nothing failed, because Firebase's command line takes an empty list for a failure.
    let error: [Entry]?
    /// The imported entries of which a member was changed or left out; absent if there are none.
    let changes: [Entry]?

    struct Entry: Encodable {
        let index: Int
        let message: String
    }

    init(_ faults: [Int: String], changes: [Int: String]) {
        error = Self.sorted(faults)
        self.changes = Self.sorted(changes)
    }

    private static func sorted(_ messages: [Int: String]) -> [Entry]? {
        messages.isEmpty ? nil : messages.sorted { $0.key < $1.key }.map { Entry(index: $0.key, message: $0.value) }
    }
}
