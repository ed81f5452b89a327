internal import API
internal import Crypto
internal import Identity
internal import Providers
internal import Tokens

extension Mode {
    /// - Parameter project: whom requests mean that name none.
    static func dev(_ project: ID<Project>, providers: ProviderEndpoints = .live) -> Mode {
        Mode(
            issuers: .firebase,
            access: { directory in
                .anybody {
                    try await directory.projects.value(for: $0 ?? project)
                } app: {
                    try await directory.app(ProjectDraft.app.id, of: $0) ?? ProjectDraft.app
                }
            },
            customTokens: { .unsigned(orElse: .signed(by: $0.backendKey(_:preferably:), clock: $1)) },
            verifier: { .fake(orElse: .live(endpoints: providers, keys: $0, clock: $1)) },
            takesLoopbackIssuers: true)
    }

    /// The same with projects that spring into being, a clock to set, Apple and Google on this machine, and the
    /// emulator's own endpoints.
    static func dev(
        _ project: ID<Project>, under masterKeys: MasterKeys, clock: DevClock, simulators: DevSimulators,
        sender: Email
    ) -> Mode {
        var mode = dev(project, providers: simulators.endpoints)
        mode.clock = clock.wallClock
        let mail = DevMail()
        mode.postOffice = { .captured(by: mail, sender: sender, desk: $0) }
        mode.watchesOutOfBand = mail.watching
        mode.actionBase = { _, publicURL in publicURL + DevMail.actionPath }
        mode.addition = { pool, postOffice in
            .dev(
                on: pool, default: project, under: masterKeys, clock: clock, simulators: simulators, mail: mail,
                postOffice: postOffice)
        }
        return mode
    }
}
