internal import FoundationEssentials
internal import Identity
internal import Postgres

/// An anonymous account and its first session.
struct AnonymousSignUp: Sendable {
    let account: Account
    let session: NewSession
}

extension PostgresAccountStore {
    /// Executes anonymous sign-ups in batches. Two sign-ups never conflict, because their accounts have no email
    /// addresses. Therefore a sign-up shares no key (see ``Batching/exclusiveKeys``) with another one: its key is the
    /// ID of its session.
    static var signUps: Batching<AnonymousSignUp, ID<Session>, Void> {
        .writes(exclusiveKeys: { [$0.session.id] }) { signUps, realm in
            signUps.count == 1
                ? try .create(signUps[0], in: realm)
                : try .create(signUps, in: realm)
        } outcomes: { signUps, _ in
            signUps.map { _ in () }
        }
    }
}

extension StoredAccount {
    /// Whether the account has only an ID and times. A batch of anonymous sign-ups stores nothing else.
    var hasOnlyTimes: Bool { self == StoredAccount(new: account.id, at: account.createdAt) }
}

extension NewSession {
    /// Whether a batch of anonymous sign-ups can open the session. A batch stores neither the client's network nor the
    /// time at which a credential was issued.
    var isBatchable: Bool { networkHash == nil && credentialIssuedAt == nil }
}

extension SQL {
    fileprivate static func create(_ signUp: AnonymousSignUp, in realm: ID<Realm>) throws -> SQL {
        let account = signUp.account
        return """
            WITH inserted AS (
                INSERT INTO account (realm_id, id, created_at, last_sign_in_at, valid_since)
                SELECT \(realm.rawValue), \(account.id.rawValue), \(Timestamp(account.createdAt)),
                    \(account.lastSignInAt.map { Timestamp($0) }), \(Timestamp(account.validSince))
            )
            \(insertion(of: try SessionColumns(signUp.session), in: realm))
            """
    }

    fileprivate static func create(_ signUps: [AnonymousSignUp], in realm: ID<Realm>) throws -> SQL {
        let (accounts, sessions) = (signUps.map(\.account), signUps.map(\.session))
        func times(_ time: (AnonymousSignUp) -> Instant?) -> [Timestamp?] {
            signUps.map { time($0).map { Timestamp($0) } }
        }
        let apps = sessions.map(\.knownApp)
        // As in `RowValues`: the statement has no column of apps if the app of every sign-up is unknown.
        let hasApps = apps.contains { $0 != nil }
        let (appName, appArray): (SQL, SQL) = hasApps ? (", app_id", ", (SELECT \(apps))") : ("", "")
        let opened = SessionColumns(
            id: "session_id", account: "account_id", generation: "generation", method: "method",
            authenticatedAt: "authenticated_at", openedAt: "opened_at", claims: "claims", secondFactor: "NULL",
            secondFactorID: "NULL", passkey: "NULL", device: "device",
            app: hasApps ? "app_id" : "NULL", credentialIssuedAt: "NULL::timestamptz")
        // The arrays are in subqueries, so that the planner does not choose another plan for another number of rows.
        return """
            WITH sign_up AS (
                SELECT *
                FROM unnest((SELECT \(accounts.map(\.id.rawValue))), (SELECT \(times { $0.account.createdAt })),
                    (SELECT \(times { $0.account.lastSignInAt })), (SELECT \(times { $0.account.validSince })),
                    (SELECT \(try sessions.map { try UUID($0.id) })), (SELECT \(sessions.map(\.session.generation))),
                    (SELECT \(sessions.map(\.session.method.rawValue))),
                    (SELECT \(times { $0.session.session.authenticatedAt })),
                    (SELECT \(times { $0.session.openedAt })),
                    (SELECT \(sessions.map(\.session.claims?.json))), (SELECT \(sessions.map(\.session.device)))\(appArray))
                    AS u (account_id, created_at, last_sign_in_at, valid_since, session_id, generation, method,
                        authenticated_at, opened_at, claims, device\(appName))
            ), inserted AS (
                INSERT INTO account (realm_id, id, created_at, last_sign_in_at, valid_since)
                SELECT \(realm.rawValue), account_id, created_at, last_sign_in_at, valid_since FROM sign_up
            )
            \(insertion(of: opened, in: realm, forEachRowOf: "sign_up"))
            """
    }
}
