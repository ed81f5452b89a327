internal import API
internal import Console
package import Crypto
internal import EventLoop
package import Gateway
internal import HTTP
package import Identity
package import Providers
package import Telemetry
internal import Tokens

extension Mode {
    /// Returns a mode that accepts every caller and the unsigned tokens of Firebase's emulator.
    ///
    /// - Parameters:
    ///   - project: the default project, for requests that name no project.
    ///   - signsTokens: whether ID tokens and session cookies are signed, and only signed ID tokens are accepted, as in
    ///     `serve`.
    ///   - isSimulatorKey: whether a simulator has published the key with this ID. If so, the signature of a token with
    ///     this key is verified. Otherwise, the signature is ignored if the token has the issuer of a built-in
    ///     provider.
    package static func emulator(
        project: ID<Project>, signsTokens: Bool = false, providers: ProviderList = .live,
        isSimulatorKey: @escaping @Sendable (_ keyID: String) -> Bool = { _ in true }
    ) -> Mode {
        var mode = Mode(
            issuers: .firebase,
            access: { configuration in
                .anyCaller {
                    try await configuration.projects.value(for: $0 ?? project)
                } app: {
                    try await configuration.app(ProjectDraft.defaultApp.id, of: $0) ?? ProjectDraft.defaultApp
                }
            },
            customTokens: { .unsigned(otherwise: .signed(by: $0.publicServiceKey(_:preferringProject:), clock: $1)) },
            verifier: {
                .fake(isSimulatorKey: isSimulatorKey, otherwise: .live($0, keyCache: $1, clock: $2))
            },
            acceptsLoopbackIssuers: true)
        mode.providers = providers
        mode.acceptsTenantsWithoutApple = true
        mode.convertImportedUser = { $0.withPasswordOfEmulatorHash }
        mode.wrapPasskeys = BarePasskeyResponses().accepting
        if !signsTokens {
            mode.tokens = UnsignedTokens.init(signed:)
            mode.tenantOfToken = UnsignedTokens.tenant(namedBy:)
        }
        return mode
    }

    /// Returns the mode of `sekisho dev`: ``emulator(project:signsTokens:providers:isSimulatorKey:)`` with simulators
    /// of the providers, projects that are created on first use, a settable clock, captured emails, and further
    /// endpoints of Firebase's emulator.
    package static func dev(
        _ project: ID<Project>, signsTokens: Bool, under masterKeys: MasterKeys, clock: DevClock,
        simulators: DevSimulators, hosts: AllowedHosts, sender: EmailAddress, log: Log
    ) -> Mode {
        var mode = emulator(
            project: project, signsTokens: signsTokens, providers: simulators.providers,
            isSimulatorKey: simulators.havePublishedKey)
        mode.clock = clock.wallClock
        mode.acceptsHostHeader = true
        mode.rejection = hosts.rejection(of:)
        mode.appleEndpoints = AppleEndpoints(base: simulators.appleURL)
        let emails = CapturedEmails()
        let requests = RecordedRequests(now: { clock.now })
        let forms = FormTokens.live(keys: [Random.bytes(32)])
        mode.pages = ModePages(
            unknownPath: { RefusalPage.unknownPath.response(to: $0, default: project, clock) },
            tooLargeForm: { RefusalPage.tooLargeForm($0).response(to: $0, default: project, clock) })
        mode.observeRequest = requests.record
        mode.emailService = { .capturing(in: emails, sender: sender, dependencies: $0) }
        mode.wrapEmailFactory = emails.capturing
        let phoneCodes = CapturedPhoneCodes()
        mode.wrapPhoneCodes = {
            phoneCodes.capturing($0) { captured in
                log.info(
                    "code for a telephone number",
                    ["phoneNumber": .string(captured.number.rawValue), "code": .string(captured.code)])
            }
        }
        mode.extensions = { pool, emailService in
            .dev(
                on: pool, default: project, under: masterKeys, clock: clock, simulators: simulators, emails: emails,
                phoneCodes: phoneCodes, emailService: emailService, requests: requests, forms: forms)
        }
        return mode
    }
}
