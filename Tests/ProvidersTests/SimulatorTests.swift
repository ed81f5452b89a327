import EventLoop
import HTTP
import Identity
import JOSE
import Providers
import Simulators
import Testing

/// Real requests to the simulators of Apple and Google, with and without faults.
@Suite("Verification over the network")
struct SimulatorTests {
    /// The parts of the gateway that use a provider.
    struct Gateway: Sendable {
        let clock: TestClock
        let verifier: Verifier
        let notifications: AppleNotifications
        let fetch: DocumentFetch

        func verify(
            _ token: String, of provider: ProviderID = .apple, nonce: String? = nil
        ) async throws -> VerifiedIdentity {
            let credential = FederatedCredential(provider: provider, idToken: Secret(token), rawNonce: nonce)
            return try await verifier.verify(credential, App(id: ID("app")), Fixture.realm)
        }
    }

    /// Runs `body` with a simulator, the server of the simulator, and a gateway that fetches keys from this server.
    private static func withSimulator<Provider: SimulatedProvider>(
        _ make: (_ clock: TestClock) throws -> Provider,
        _ body: (Provider, SimulatorServer, Gateway) async throws -> Void
    ) async throws {
        let clock = TestClock(Fixture.start)
        let provider = try make(clock)
        let loop = try Loop(name: "client")
        let client = try HTTP.Client(loop: loop)
        let result: Result<Void, any Error>
        do {
            try await SimulatorServer.run(provider) { server in
                let providers = ProviderList.live.served { _ in server.baseURL }
                let fetch = DocumentFetch.http(client)
                let keys = JWKSCache(
                    fetch: fetch, store: TestDocumentStore().documentStore, clock: clock.wallClock, on: loop)
                let gateway = Gateway(
                    clock: clock, verifier: .live(providers, keyCache: keys, clock: clock.wallClock),
                    notifications: AppleNotifications(of: providers, keyCache: keys), fetch: fetch)
                try await body(provider, server, gateway)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await client.close()
        loop.stop()
        try result.get()
    }

    private static let appleKeys = RSAKeySupply()
    private static let googleKeys = RSAKeySupply()

    private static func apple(_ clock: TestClock) throws -> SimulatedApple {
        try SimulatedApple(clock: { clock.now.seconds }, keys: appleKeys)
    }

    @Test("Apple's tokens are accepted after a key rotation, and during an outage if their key is known")
    func appleOutage() async throws {
        try await Self.withSimulator(Self.apple) { apple, server, gateway in
            let knownKey = try apple.identityToken(for: .ada, audience: "com.example.app", nonce: sha256("raw"))
            let identity = try await gateway.verify(knownKey, nonce: "raw")
            #expect(identity.subject == SimulatedApple.subject(of: .ada))
            #expect(identity.emailTrust == .authoritative)
            try apple.rotateKeys()
            _ = try await gateway.verify(apple.identityToken(for: .grace, audience: "com.example.app"))
            #expect(apple.keyFetches == 2)
            await server.stop()
            #expect(try await gateway.verify(knownKey, nonce: "raw").subject == identity.subject)
            try apple.rotateKeys()
            let unknownKey = try apple.identityToken(for: .ada, audience: "com.example.app")
            // Unknown keys cause at most one fetch in a minute.
            gateway.clock.advance(by: .seconds(60))
            await #expect(throws: ProviderUnreachable.self) { try await gateway.verify(unknownKey) }
            try server.resume()
            gateway.clock.advance(by: .seconds(60))
            _ = try await gateway.verify(unknownKey)
        }
    }

    /// Quirks are variations of Apple's responses over the years and between devices.
    @Test("Apple's tokens are accepted with quirks of booleans, relay addresses and nonces, but not of the issuer")
    func appleQuirks() async throws {
        try await Self.withSimulator(Self.apple) { apple, _, gateway in
            apple.quirks.booleansAreStrings = true
            apple.quirks.marksPrivateEmail = false
            let relayed = try await gateway.verify(apple.identityToken(for: .grace, audience: "com.example.app"))
            #expect(relayed.isPrivateEmail && relayed.emailTrust == .authoritative)
            apple.quirks.relayDomain = .privateICloud
            let newDomain = try await gateway.verify(apple.identityToken(for: .grace, audience: "com.example.app"))
            #expect(newDomain.isPrivateEmail && newDomain.email != relayed.email)
            #expect(newDomain.subject == relayed.subject)
            apple.quirks.supportsNonce = false
            let withoutNonce = try apple.identityToken(for: .ada, audience: "com.example.app", nonce: sha256("raw"))
            #expect(try await gateway.verify(withoutNonce, nonce: "raw").replayKeys.isEmpty)
            apple.quirks.issuer = "https://account.apple.com"
            await #expect(throws: ProviderRefusal.self) {
                try await gateway.verify(apple.identityToken(for: .ada, audience: "com.example.app"))
            }
        }
    }

    @Test(
        "The gateway reads the type, subject and time of every notification of the simulator", arguments: [false, true])
    func appleNotifications(eventsAreAnObject: Bool) async throws {
        try await Self.withSimulator(Self.apple) { apple, _, gateway in
            apple.quirks.eventsAreAnObject = eventsAreAnObject
            for event in SimulatedAppleEvent.allCases {
                let token = try apple.notification(event, about: .grace, audience: "com.example.app")
                let body = String(decoding: try SimulatedApple.notificationBody(token), as: UTF8.self)
                let read = try await gateway.notifications.verify(
                    body, for: ["com.example.app"], at: gateway.clock.now)
                #expect(read.kind == .init(event.rawValue))
                #expect(read.subject == SimulatedApple.subject(of: .grace))
                #expect(read.occurredAt == Fixture.start)
            }
        }
    }

    @Test("Google's tokens are accepted in each flow and with either issuer")
    func google() async throws {
        try await Self.withSimulator { clock in
            try SimulatedGoogle(clock: { clock.now.seconds }, keys: Self.googleKeys)
        } _: { google, _, gateway in
            for flow in GoogleFlow.allCases {
                let token = try google.idToken(
                    for: .ada, audience: "web.apps.example", authorizedParty: "ios.apps.example", nonce: "n", flow: flow
                )
                let identity = try await gateway.verify(token, of: .google)
                #expect(identity.subject == SimulatedGoogle.subject(of: .ada))
                #expect(identity.nonce == "n")
            }
            google.issuer = "accounts.google.com"
            _ = try await gateway.verify(google.idToken(for: .ada, audience: "ios.apps.example"), of: .google)
            #expect(google.keyFetches == 1)
        }
    }

    @Test(
        "A provider with an invalid response or none counts as unreachable, and its cached keys stay in use",
        arguments: [
            .unavailable, .html(status: 200), .html(status: 404), .tooManyRequests(retryAfterSeconds: 1), .brokenJSON,
            .wrongJSON, .empty, .oversized(bytes: 256 * 1024 + 1), .redirect(to: "/auth/keys"), .silent,
        ] as [InjectedFault])
    func faults(fault: InjectedFault) async throws {
        try await Self.withSimulator(Self.apple) { apple, _, gateway in
            apple.faultInjection.injectFault(fault)
            let token = try apple.identityToken(for: .ada, audience: "com.example.app")
            await #expect(throws: ProviderUnreachable.self) { try await gateway.verify(token) }
            #expect(apple.keyFetches == 1)
            apple.faultInjection.reset()
            gateway.clock.advance(by: .seconds(10))
            _ = try await gateway.verify(token)
            // The keys are due for a fetch, but the token has not expired: it is valid for 86 400 seconds.
            gateway.clock.advance(by: .seconds(86_340))
            apple.faultInjection.injectFault(fault)
            _ = try await gateway.verify(token)
        }
    }

    @Test("No request is made to a URL on this machine if the URL comes from the configuration")
    func configured() async throws {
        try await Self.withSimulator(Self.apple) { apple, server, gateway in
            for url in [server.baseURL, "https://127.0.0.1:\(server.port)", "https://localhost:\(server.port)"] {
                let address = DocumentAddress(url: url + SimulatedApple.keysPath, isFromConfiguration: true)
                await #expect(throws: ClientFault.destinationNotAllowed) { try await gateway.fetch.get(address) }
            }
            #expect(apple.faultInjection.requests.isEmpty)
        }
    }
}
