package import Identity
internal import Storage
internal import Tokens

extension Administration {
    /// Reads the master keys and the settings of email and of the console, and runs `body` like ``run(_:)`` with a
    /// service that issues codes for support access. If no SMTP server is set, no email is queued.
    package static func runOnSupportAccess(
        _ body: @escaping @Sendable (Administration, SupportAccessCodes) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let sendsEmail = reader.email() != nil
        let operators = reader.console()?.project
        try reader.requireNoProblems()
        try runWithKeys { administration, masterKeys in
            // The notice has no link.
            let emailFactory = EmailFactory.live(
                under: masterKeys, actionBase: { _, _ in "" }, appLinkBase: { _, _ in nil }, sendsEmail: sendsEmail)
            try await body(
                administration,
                SupportAccessCodes(
                    accounts: PostgresAccountStore(pool: administration.pool),
                    store: PostgresSignInCodeStore(pool: administration.pool), emailFactory: emailFactory,
                    secrets: .live, operators: operators, clock: administration.clock, entropy: .live))
        }
    }
}
