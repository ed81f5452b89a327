package import Crypto
internal import Encoding
internal import EventLoop
internal import FoundationEssentials
internal import HTTP
package import Identity
internal import Postgres
internal import Storage
internal import Tokens
internal import Webhooks

/// The request and the response of a call to a blocking function.
package struct HookTrial: Sendable {
    /// The claims of the token as JSON.
    package let claims: String
    package let status: Int
    package let body: String
    /// Why the answer is not valid or refuses the request; `nil` if it allows it.
    package let refusal: String?

    fileprivate init(_ trial: HookClient.Trial) {
        claims = trial.claims
        status = trial.status
        body = trial.body
        refusal =
            switch trial.result {
            case .success: nil
            case .failure(let error as any Refusal): error.message
            case .failure(let error): "\(error)"
            }
    }
}

extension Administration {
    /// Calls a blocking function of the project once, with an example account that does not exist.
    ///
    /// - Parameter mode: the mode of the gateway whose calls this call equals.
    /// - Throws: ``Failure`` if the project has no such function, or if the function cannot be reached.
    package func tryHook(
        _ event: BlockingFunctions.Event, in id: ID<Realm>, under masterKeys: MasterKeys, mode: Mode
    ) async throws -> HookTrial {
        let realm = try await requireRealm(id)
        guard let url = realm.project.blockingFunctions.triggers[event] else {
            throw Failure(message: "\(id) has no blocking function for \(event.rawValue)")
        }
        let client = try HTTP.Client(loop: pool.loop)
        let stored = try await SigningKeyStore(pool: pool).unretiredKeys(in: realm.project.id, at: clock.now())
        let ring = try KeyRing(stored, of: realm.project.id, under: masterKeys)
        let isDevelopment = mode.acceptsLoopbackIssuers
        let tokens = mode.tokens(
            GatewayTokens(keyRing: { _ in ring }, newKeyRing: { _ in ring }, issuers: mode.issuers, clock: clock))
        let hooks = HookClient(
            SignedCall(client, egress: isDevelopment ? .loopbackWithoutTLS : .publicAddresses),
            rules: isDevelopment ? .dev : .serve, issuer: mode.issuers.idTokenIssuer(of:),
            sign: { try await tokens.hookToken($0, in: $1, at: $2) }, newID: { UUIDText.text(UUID()) },
            report: { _, _, _ in }, clock: clock, circuits: HookCircuits())
        let request = HookRequest(
            event, at: url, .example(for: event, at: clock.now()), in: realm,
            from: RequestContext(
                network: ClientNetwork(
                    prefixes: ["192.0.2.1"], knownNetworkPrefix: nil, address: .example), device: "sekisho hooks test",
                language: .english, trace: .none))
        do {
            let trial = try await hooks.tryOut(request)
            await client.close()
            return HookTrial(trial)
        } catch {
            await client.close()
            guard let unavailable = error as? HookUnavailable else { throw error }
            throw Failure(message: "\(unavailable)")
        }
    }
}

extension ClientNetwork.Address {
    /// 192.0.2.1 is reserved for documentation (RFC 5737).
    fileprivate static let example = ClientNetwork.Address(high: 0, low: 0xFFFF_C000_0201)
}

extension HookRequest.Subject {
    fileprivate static func example(for event: BlockingFunctions.Event, at now: Instant) -> HookRequest.Subject {
        let (email, number) = (EmailAddress("test@example.com"), PhoneNumber("+12025550123"))
        switch event {
        case .beforeSendEmail: if let email { return .email(email, .signIn) }
        case .beforeSendSms: if let number { return .sms(number, .signIn) }
        case .beforeCreate, .beforeSignIn: break
        }
        let account = Account(id: ID("test"), email: email, passwordUpdatedAt: now, createdAt: now, validSince: now)
        return .account(account, HookSignIn(method: "password"), secondFactor: nil)
    }
}
