import Glibc
import HTTP
import Identity
import Telemetry

@testable import API

let now = Instant(microseconds: 1_767_225_600_123_456)

let ada = Account(
    id: ID("ada"), email: EmailAddress("ada@example.com"), displayName: "Ada", passwordUpdatedAt: now, createdAt: now,
    lastSignInAt: now, validSince: now)

/// A gateway over a ``FakeStore`` that knows Ada, whose ID token is ``adaToken`` and password `right`.
struct TestGateway {
    let store: FakeStore
    let gateway: RequestPipeline

    static let quiet = Log(level: .error, descriptor: open("/dev/null", O_WRONLY))
    static let adaToken = "id.ada.s0"
    static let adaMember = #""idToken":"\#(adaToken)""#

    init(
        failure: (any Error)? = nil, passwordsAreBusy: Bool = false, documents: ProjectDocuments? = nil,
        readiness: Readiness = Readiness(isDraining: false, databaseIsReachable: true, schemaIsCurrent: true),
        actions: FakeEmailActionService = FakeEmailActionService(), log: Log = quiet,
        policy change: (inout Policy) -> Void = { _ in }
    ) {
        var policy = Policy(.sekisho)
        change(&policy)
        let project = Project(
            id: ID("demo"), number: 4815, profile: .sekisho, policy: policy, authorizedDomains: ["localhost"])
        store = FakeStore(accounts: [ada], failure: failure)
        store.open(
            Session(
                id: ID("s0"), account: ada.id, generation: 1, method: .password, authenticatedAt: now, device: nil,
                place: nil))
        gateway = RequestPipeline(
            services: Self.services(store, passwordsAreBusy, documents, readiness, actions),
            access: .keys(
                client: { $0 == "good" ? CallingApp(project: project, app: App(id: ID("app"))) : nil },
                administrator: {
                    $0 == "secret" ? Administrator(project: project, actor: .key("k"), scopes: .all) : nil
                }),
            log: log, metrics: GatewayMetrics())
    }

    private static func services(
        _ store: FakeStore, _ passwordsAreBusy: Bool, _ documents: ProjectDocuments?, _ readiness: Readiness,
        _ actions: FakeEmailActionService
    ) -> Services {
        let tokens = FakeTokens()
        let clock = WallClock.fixed(at: now)
        let passwords = PasswordHasher(
            hash: { _, _ in if passwordsAreBusy { throw Overloaded() } else { "hash" } },
            check: { password, _, _ in
                if passwordsAreBusy { throw Overloaded() }
                return password.expose() == "right" ? .right(rehashed: nil) : .wrong
            })
        let entropy = Entropy(accountID: { ID("new") }, sessionID: { ID("s1") })
        let collaborators = Collaborators(
            store: store, tokens: tokens, passwords: passwords, breaches: .none,
            outOfBand: OutOfBand(
                newCode: { "code" }, hash: { Array($0.utf8) }, emailID: { ID("l1") }, seal: { _, _ in [] },
                actionBase: { _, _ in "https://auth.example.com/__/auth/action" }, isSent: true),
            limiter: .none, places: NetworkHashing { _, _ in [] }, clock: clock, entropy: entropy)
        let authenticator = Authenticator(with: collaborators)
        let trail = AuditTrail(page: { _, _ in [] }, record: { _, _, _, _ in })
        let verifier = Verifier { _, _, _ in throw ProviderRefusal.notConfigured }
        return Services(
            signIn: SignInServices(
                authenticator: authenticator, identifiers: IdentifierLookup(store: store),
                customTokens: CustomSignIn(
                    with: collaborators,
                    customTokens: CustomTokens { token, _ in
                        CustomTokenClaim(account: ID(token), claims: nil, issuedAt: nil)
                    }),
                federated: FederatedSignIn(
                    with: collaborators, store: FakeFederationStore(), verifier: verifier, tickets: FakeTickets()),
                authURISession: { "random" }),
            accounts: AccountServices(
                editor: AccountEditor(with: collaborators),
                administration: AccountAdministration(
                    store: FakeAdministrationStore(), passwords: passwords,
                    passwordKeys: PasswordKeys(keep: { _, _ in ID("key") }, find: { _ in nil }), breaches: .none,
                    clock: clock, entropy: entropy),
                queries: AccountQueryService(finder: FakeAccountFinder(), store: FakeAdministrationStore()),
                linking: LinkAdministration(
                    with: collaborators, store: FakeLinkingStore(), tickets: FakeTickets())),
            sessions: SessionService(store: FakeSessionStore(), clock: clock),
            sessionCookies: SessionCookies(authenticator: authenticator, trail: trail),
            emailActions: EmailActionServices(
                sending: OOBSending(with: collaborators, codes: FakeOOBCodeStore()),
                redemption: OOBRedemption(with: collaborators, codes: FakeOOBCodeStore()), pages: actions),
            merging: AccountMerging(
                with: collaborators, store: FakeFederationStore(), verifier: verifier, tickets: FakeTickets()),
            projects: ProjectServices(
                editor: ProjectEditor(configuration: { _ in nil }, edit: { _, _, _, _ in nil }),
                tenancy: Tenancy(
                    home: { _, _ in nil }, named: { _ in nil }, store: FakeTenantStore(), changed: {},
                    newID: { ID("tenant") }, clock: clock),
                app: { _, _ in nil }),
            audit: trail, operations: OperationsServices(documents: { _ in documents }, readiness: { readiness }))
    }

    func send(
        _ method: HTTP.Method, _ path: String, query: [(name: String, value: String)] = [("key", "good")],
        headers: Headers = [:], body: String = ""
    ) async -> Response {
        await gateway.respond(
            to: Request(
                id: "r1", method: method, path: path, query: query, headers: headers, body: Array(body.utf8),
                peer: "192.0.2.7"))
    }

    func post(_ operation: String, _ body: String) async -> Response {
        await send(.post, "/v1/\(operation)", body: body)
    }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Status and message of an error, status and body of anything else.
    var summary: String {
        let message = text.firstMatch(of: /"message":"([^"]*)"/)?.output.1
        return "\(status) \(message ?? text[...])"
    }
}
