internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns everything that the gateway stores about the caller's account, without secrets.
    static let exportAccount = client("exportAccount", .post, "/v1/accounts:export") { call, client in
        let request = try call.body(as: ExportAccountRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        return try await call.export(for: caller, in: client.realm)
    }
}

extension EndpointCall {
    /// Exports the caller's account as JSON. The page of the account does the same.
    func export(for caller: Caller, in realm: Realm) async throws -> Response {
        let export = try await services.accounts.exporting.export(for: caller, in: realm, from: context)
        let tenant = realm.tenant?.id
        return try await json(of: export.records.activity.count, for: realm.project.id) {
            ExportedAccount(export, current: caller.session, of: tenant)
        }
    }
}

private struct ExportAccountRequest: ClientRequestBody {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

/// The export on the wire. Each list has at most ``AccountRecords/limit`` elements.
private struct ExportedAccount: Encodable {
    let exportedAt: String
    let user: UserInfo
    let identities: [ExportedIdentity]
    let sessions: [ExportedSession]
    let activity: [ExportedActivity]
    let emails: [ExportedMessage]
    let textMessages: [ExportedMessage]
    let appleAuthorizations: [AppleAuthorization]
    let appTransactions: [ExportedTransaction]
    let merges: [ExportedMerge]
    let knownNetworks: [KnownNetwork]
    /// The names of the lists that may continue beyond the limit.
    let truncated: [String]

    init(_ export: AccountExport, current: Session, of tenant: ID<Tenant>?) {
        let records = export.records
        exportedAt = export.exportedAt.iso8601
        user = .forAdministrators(export.account, of: tenant)
        identities = export.account.identities.map(ExportedIdentity.init)
        sessions = records.sessions.map { ExportedSession($0, current: current) }
        activity = records.activity.map(ExportedActivity.init)
        emails = records.emails.map(ExportedMessage.init)
        textMessages = records.textMessages.map(ExportedMessage.init)
        appleAuthorizations = records.appleTokens.map(AppleAuthorization.init)
        appTransactions = records.appTransactions.map(ExportedTransaction.init)
        merges = records.merges.map(ExportedMerge.init)
        knownNetworks = records.knownNetworks.map { KnownNetwork(lastUsedAt: $0.iso8601) }
        let counts = [
            ("sessions", sessions.count), ("activity", activity.count), ("emails", emails.count),
            ("textMessages", textMessages.count), ("appleAuthorizations", appleAuthorizations.count),
            ("appTransactions", appTransactions.count), ("merges", merges.count),
            ("knownNetworks", knownNetworks.count),
        ]
        truncated = counts.filter { $0.1 >= AccountRecords.limit }.map(\.0)
    }
}

private struct ExportedIdentity: Encodable {
    let providerId: String
    let rawId: String
    let issuer: String?
    let audience: String?
    let email: String?
    let emailTrust: String
    let isPrivateEmail: Bool?
    let displayName: String?
    let givenName: String?
    let familyName: String?
    let photoUrl: String?
    let realUserStatus: String?
    let linkedAt: String?
    let linkedDevice: String?
    let credentialState: String?
    let checkedAt: String?
    let emailForwarding: Bool?
    let suspended: Bool

    init(_ identity: LinkedIdentity) {
        let profile = identity.profile
        providerId = identity.provider.rawValue
        rawId = identity.subject
        issuer = identity.issuer
        audience = identity.audience
        email = identity.email?.rawValue
        emailTrust = identity.emailTrust.rawValue
        isPrivateEmail = identity.email.map { _ in identity.isPrivateEmail }
        displayName = profile.displayName
        givenName = profile.name?.given
        familyName = profile.name?.family
        photoUrl = profile.photoURL?.rawValue
        realUserStatus = identity.realUserStatus.map(ProviderUserInfo.name(ofRealUserStatus:))
        linkedAt = identity.linkedAt?.iso8601
        linkedDevice = identity.linkedDevice
        credentialState = identity.provider == .apple ? identity.credentialState.rawValue : nil
        checkedAt = identity.credential?.checkedAt.iso8601
        emailForwarding = identity.emailForwarding
        suspended = identity.isSuspended
    }
}

private struct ExportedSession: Encodable {
    let sessionId: String
    let current: Bool
    let signInProvider: String
    let secondFactor: String?
    let device: String?
    let appId: String?
    let claims: String?
    let createdAt: String
    let lastUsedAt: String

    init(_ listed: ListedSession, current own: Session) {
        let session = listed.session
        sessionId = session.id.rawValue
        current = session.id == own.id
        signInProvider = session.method.rawValue
        secondFactor = session.secondFactor?.method.rawValue
        device = session.device
        appId = listed.app?.rawValue
        claims = session.claims?.json
        createdAt = session.authenticatedAt.iso8601
        lastUsedAt = listed.lastUsedAt.iso8601
    }
}

/// An audit event as its subject sees it. Which service key or command an operator used is not the user's data.
private struct ExportedActivity: Encodable {
    let occurredAt: String
    let action: String
    let actor: String
    let detail: [String: String]
    let network: String?

    init(_ event: AuditEvent) {
        let actor = event.actorKind
        occurredAt = event.occurredAt.iso8601
        action = event.note.action
        self.actor = actor.rawValue
        detail = event.note.detail
        network = actor == .user ? event.trace.network : nil
    }
}

private struct ExportedMessage: Encodable {
    let kind: String?
    let recipient: String?
    let createdAt: String
    let failedAt: String?

    init(_ message: AccountRecords.QueuedMessage) {
        kind = message.kind
        recipient = message.recipient?.rawValue
        createdAt = message.createdAt.iso8601
        failedAt = message.failedAt?.iso8601
    }
}

private struct AppleAuthorization: Encodable {
    let clientId: String
    let state: String
    let createdAt: String
    let checkedAt: String?

    init(_ token: AccountRecords.AppleToken) {
        clientId = token.clientID
        state = token.state.rawValue
        createdAt = token.createdAt.iso8601
        checkedAt = token.checkedAt?.iso8601
    }
}

private struct ExportedTransaction: Encodable {
    let bundleId: String
    let appTransactionId: String
    let statedAt: String

    init(_ transaction: AccountRecords.StatedTransaction) {
        bundleId = transaction.bundleID
        appTransactionId = transaction.id
        statedAt = transaction.statedAt.iso8601
    }
}

private struct ExportedMerge: Encodable {
    let sourceLocalId: String
    let mergedAt: String
    let undoUntil: String

    init(_ merge: AccountRecords.Merge) {
        sourceLocalId = merge.source.rawValue
        mergedAt = merge.mergedAt.iso8601
        undoUntil = merge.undoUntil.iso8601
    }
}

private struct KnownNetwork: Encodable {
    let lastUsedAt: String
}
