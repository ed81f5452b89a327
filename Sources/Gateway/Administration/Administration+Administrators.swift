internal import Crypto
internal import FoundationEssentials
package import Identity
internal import Providers
internal import Storage
internal import Tokens

extension Administration {
    /// Reads the settings of the console, and runs `body` like ``runWithKeys(for:_:)`` with the service that manages
    /// the console's administrators.
    ///
    /// - Parameter createsProject: whether the operators' project is created if it does not exist.
    package static func runOnAdministrators(
        creatingProject createsProject: Bool = false,
        _ body: @escaping @Sendable (Administration, Administrators) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let console = reader.console()
        let publicURL = reader.optional(
            Settings.publicURL, "an https URL without path (http for loopback only)", Config.parse(publicURL:))
        try reader.requireNoProblems()
        guard let console else {
            throw Failure(
                message:
                    "SEKISHO_CONSOLE_PROJECT is not set: set it to the ID of a project for the operators alone, such as operators"
            )
        }
        guard let url = console.url ?? publicURL else {
            throw Failure(message: "neither SEKISHO_CONSOLE_URL nor SEKISHO_PUBLIC_URL is set")
        }
        try runWithKeys { administration, masterKeys in
            if createsProject, try await administration.projects.realm(ofProject: console.project) == nil {
                let draft = try ProjectDraft(
                    operators: console.project, at: url,
                    passkeys: try await ownPasskeys(of: console, besides: publicURL, in: administration))
                let isCreated = try await draft.create(
                    in: administration.pool, under: masterKeys, by: .commandLine, at: administration.clock.now())
                guard isCreated else { throw Failure(message: "project \(console.project) was deleted") }
            }
            let realm = try await administration.requireRealm(ID(console.project))
            try realm.requireConsoleSignIn()
            try await body(
                administration,
                Administrators(
                    operators: console.project, store: PostgresAdministratorStore(pool: administration.pool),
                    accounts: administration.accounts,
                    findRealm: { [projects = administration.projects] in try await projects.realm($0) },
                    emailFactory: .live(
                        under: masterKeys, actionBase: { _, _ in "" }, appLinkBase: { _, _ in nil },
                        sendsEmail: false),
                    consoleURL: { url }, clock: administration.clock))
        }
    }

    /// The passkeys of a new operators' project. The console has some if it has a host of its own. On the gateway's
    /// host, the RP ID is left to the project whose users sign in there.
    private static func ownPasskeys(
        of console: ConsoleSettings, besides publicURL: String?, in administration: Administration
    ) async throws -> PasskeySettings {
        guard let url = console.url, let settings = PasskeySettings(forPagesOf: url), let rpID = settings.rpID,
            publicURL.flatMap({ PasskeySettings(forPagesOf: $0) })?.rpID != rpID,
            try await !ProjectStore(pool: administration.pool, supporting: .live).isRelyingParty(rpID)
        else { return PasskeySettings() }
        return settings
    }
}

extension ProjectDraft {
    /// The operators' project: sign-up is off, and each account needs a second factor.
    fileprivate init(operators id: ID<Project>, at url: String, passkeys: PasskeySettings) throws(UsageError) {
        var policy = Policy(.sekisho)
        policy.allowsPasswords = true
        policy.allowsSignUp = false
        policy.allowsAnonymous = false
        policy.secondFactors = SecondFactorPolicy(state: .mandatory, allowsTOTP: true)
        try self.init(
            id: id.rawValue, name: "Sekisho console", profile: .sekisho, policy: policy, algorithm: .es256,
            domains: [URL(string: url)?.host].compactMap(\.self), supporting: .live)
        realm.project.passkeys = passkeys
    }
}

extension Realm {
    /// - Throws: ``Failure`` if the policy of the operators' project does not let operators sign in with a password and
    ///   a one-time password.
    fileprivate func requireConsoleSignIn() throws(Failure) {
        guard policy.allowsPasswords, policy.secondFactors.state != .disabled, policy.secondFactors.allowsTOTP else {
            throw Failure(
                message:
                    "the project \(project.id) must allow passwords and one-time passwords, and must not disable second factors"
            )
        }
    }
}
