internal import Crypto
internal import EventLoop
internal import HTTP
package import Identity
internal import Passwords
internal import Postgres
internal import Storage
internal import Tokens

extension Administration {
    /// The service of the admin API for accounts, for commands that set no password.
    package var accounts: AccountAdministration {
        accounts(hashing: { _ in throw Failure(message: "this command cannot set passwords") }, checkedBy: .none)
    }

    /// Reads the settings of the database and of passwords, and runs `body` like ``run(_:)`` with a service that can
    /// set passwords. It hashes them, and compares them with the list of breached passwords, as `serve` does.
    package static func runSettingPasswords(
        _ body: @escaping @Sendable (Administration, AccountAdministration) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let passwords = reader.passwords()
        let listURL = reader.breachedPasswordsURL()
        try reader.requireNoProblems()
        guard let passwords, let listURL else { return }
        try run { administration in
            let client = try HTTP.Client(loop: administration.pool.loop)
            try await perform {
                let breaches: BreachedPasswords =
                    listURL.isEmpty ? .none : .live(BreachedPasswordList(url: listURL), client: client) { _ in }
                try await body(
                    administration,
                    administration.accounts(
                        hashing: { try Argon2.libsodium.hash(Array($0.expose().utf8), passwords.cost) },
                        checkedBy: breaches))
            } finally: {
                await client.close()
            }
        }
    }

    /// Reads the master keys and the settings of email, and runs `body` like ``run(_:)`` with a service that announces
    /// its changes to users. If no SMTP server is set, no email is queued.
    package static func runAnnouncing(
        _ body: @escaping @Sendable (Administration, AccountAdministration) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let sendsEmail = reader.email() != nil
        try reader.requireNoProblems()
        try runWithKeys { administration, masterKeys in
            // These notices have no links.
            let emailFactory = EmailFactory.live(
                under: masterKeys, actionBase: { _, _ in "" }, appLinkBase: { _, _ in nil }, sendsEmail: sendsEmail)
            try await body(
                administration,
                administration.accounts(
                    hashing: { _ in throw Failure(message: "this command cannot set passwords") }, checkedBy: .none,
                    announcingBy: emailFactory))
        }
    }

    private func accounts(
        hashing hash: @escaping @Sendable (Secret) throws -> String, checkedBy breaches: BreachedPasswords,
        announcingBy emailFactory: EmailFactory? = nil
    ) -> AccountAdministration {
        AccountAdministration(
            store: PostgresAccountStore(pool: pool),
            passwords: PasswordHasher(hash: { password, _ in try hash(password) }, check: { _, _, _ in .wrong }),
            passwordKeys: PasswordKeys(
                store: { _, _ in throw Failure(message: "this command cannot store password keys") },
                find: { _ in nil }),
            breaches: breaches, emailFactory: emailFactory, clock: clock, entropy: .live)
    }

    /// Links or unlinks an identity, as the admin API does.
    package func apply(_ change: IdentityChange, in realm: Realm) async throws {
        _ = try await PostgresAccountStore(pool: pool).apply(
            change, ignoring: realm.linkOnlyProviders, recording: realm.recording(by: .commandLine),
            at: clock.now(), in: realm.id)
    }
}
