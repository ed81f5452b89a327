import Crypto
import Encoding
import Identity
import Postgres
import Simulators
import Synchronization
import Telemetry
import Testing

@testable import Gateway
@testable import Support

/// A grant is a token or an authorization code of Apple in the database. Tests read each grant as a line: state, token
/// type, client ID.
@Suite("Authorization codes from Apple")
struct AppleRedemptionTests {
    private static let client = SimulatedProviders.appleClientID

    @Test(
        "Authorization codes are redeemed after the sign-in, whether they are in `postBody` or in `credential`",
        arguments: [true, false])
    func redeem(inPostBody: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let proof = try gateway.appleCredentialWithCode()
        let signedIn =
            if inPostBody {
                try await gateway.signIn(proof)
            } else {
                try await gateway.signInWithIdp([
                    "credential": [
                        "providerId": "apple.com", "idToken": .string(proof.idToken),
                        "rawNonce": .string(proof.rawNonce ?? ""), "authorizationCode": .string(proof.code ?? ""),
                    ]
                ])
            }
        #expect(signedIn.status == 200, "\(signedIn.text)")
        #expect(gateway.simulators.apple.faultInjection.requestCount(at: SimulatedApple.tokenPath) == 0)
        #expect(try await gateway.appleGrantLines() == ["REDEEMING CODE \(Self.client)"])
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])
        // The daily check of the new token is not due yet, so Apple gets no second request.
        try await gateway.appleGrantWorkers.checkDueTokens()
        #expect(gateway.simulators.apple.faultInjection.requestCount(at: SimulatedApple.tokenPath) == 1)
    }

    /// The limit of each text is 2048 bytes. The first code and the redirect URI (`https://` is 8 bytes) have 2049.
    @Test(
        "A sign-in succeeds without the authorization code if the code or its redirect URI is too long",
        arguments: [
            ["authorizationCode": .string(String(repeating: "c", count: 2049))],
            ["authorizationCode": "c", "redirectUri": .string("https://" + String(repeating: "r", count: 2041))],
        ] as [[String: JSON]])
    func unusable(members: [String: JSON]) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let proof = try gateway.appleCredential()
        let credential: [String: JSON] = [
            "providerId": "apple.com", "idToken": .string(proof.idToken), "rawNonce": .string(proof.rawNonce ?? ""),
        ]
        let signedIn = try await gateway.signInWithIdp(["credential": .object(credential.merging(members) { $1 })])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        #expect(try await gateway.appleGrantLines().isEmpty)
    }

    @Test("Authorization codes of the web flow are redeemed with their redirect URI")
    func web() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let redirectURI = "https://auth.example.com/__/auth/handler"
        let proof = try gateway.appleCredentialWithCode(client: "com.example.web", redirectURI: redirectURI)
        let signedIn = try await gateway.signInWithIdp([
            "credential": [
                "providerId": "apple.com", "idToken": .string(proof.idToken),
                "rawNonce": .string(proof.rawNonce ?? ""), "authorizationCode": .string(proof.code ?? ""),
                "redirectUri": .string(redirectURI),
            ]
        ])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
    }

    @Test(
        "Authorization codes of another client or user are dropped, and the session stays valid",
        arguments: [true, false])
    func foreign(isOtherClient: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        var proof = try gateway.appleCredentialWithCode()
        proof.code = try gateway.appleCredentialWithCode(
            isOtherClient ? .ada : .mary, client: isOtherClient ? "com.example.web" : Self.client,
            redirectURI: isOtherClient ? "https://auth.example.com/callback" : nil
        ).code
        let tokens = try TestGateway.Tokens(await gateway.signIn(proof))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(try await gateway.lookup(tokens.idToken).status == 200)
    }

    @Test("A code is redeemed after an outage of Apple, or dropped if it expires during the outage")
    func outage() async throws {
        let gateway = try await TestGateway(servesApple: true)
        gateway.simulators.apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.tokenPath)
        _ = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredentialWithCode()))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["REDEEMING CODE \(Self.client)"])
        gateway.simulators.apple.faultInjection.reset()
        // Longer than the pause before the second attempt.
        gateway.clock.advance(by: .seconds(60))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])

        gateway.simulators.apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.tokenPath)
        _ = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredentialWithCode(.mary)))
        gateway.clock.advance(by: AuthorizationCode.lifetime + .seconds(5))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])
    }

    /// The trigger counts updates of grants, and makes those from 2 to 4 fail:
    /// 1. the claim of both codes
    /// 2. the postponement of the first code, for which Apple is unavailable
    /// 3. the next claim
    /// 4. the first attempt to store the token of the second code
    @Test("The token of an exchanged code is stored after an outage of the database in which the next claim failed")
    func databaseOutage() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let pool = gateway.database.pool
        for person in [SimulatedPerson.ada, .mary] {
            _ = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredentialWithCode(person)))
        }
        try await pool.execute("CREATE SEQUENCE grant_updates")
        try await pool.execute(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE number bigint := nextval('grant_updates');
            BEGIN
                IF number BETWEEN 2 AND 4 THEN
                    RAISE EXCEPTION 'timeout' USING ERRCODE = 'query_canceled';
                END IF;
                RETURN NULL;
            END $$
            """)
        try await pool.execute(
            "CREATE TRIGGER fail BEFORE UPDATE ON apple_grant FOR EACH STATEMENT EXECUTE FUNCTION fail()")
        let exchanges = Mutex(0)
        var endpoint = gateway.root.appleTokens
        endpoint.exchange = { [exchange = endpoint.exchange] code, client in
            let number = exchanges.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else { return .unavailable(reason: "status 503") }
            // The next claim has failed when the number of updates is 3.
            while try await pool.query("SELECT FROM grant_updates WHERE last_value >= 3").isEmpty {
                try await Task.sleep(for: .milliseconds(5))
            }
            return try await exchange(code, client)
        }
        let workers = AppleGrantWorkers(
            on: pool, endpoint: endpoint, under: gateway.masterKeys, clock: gateway.clock.wallClock,
            log: gateway.root.log, metrics: Metrics(), count: { _, _ in })
        await #expect(throws: StoreUnavailable.self) { try await workers.attemptDue(.redeem) }
        #expect(
            try await gateway.appleGrantLines() == [
                "AUTHORIZED REFRESH_TOKEN \(Self.client)", "REDEEMING CODE \(Self.client)",
            ])
    }

    @Test("Sign-ins succeed with a wrong private key, and their codes are redeemed after the key is corrected")
    func wrongKey() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let server = try #require(gateway.appleServer)
        server.registerClients(in: gateway.simulators.apple, key: try PrivateKey.generate(.es256).publicKey)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        #expect(try await gateway.appleGrantLines() == ["REDEEMING CODE \(Self.client)"])
        #expect(try await gateway.refresh(tokens.refreshToken).status == 200)
        #expect(try await gateway.signIn(gateway.appleCredentialWithCode()).status == 200)
        server.registerClients(in: gateway.simulators.apple)
        // Longer than the pause before the second attempt.
        gateway.clock.advance(by: .seconds(60))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])
    }

    @Test("The code of a link with a conflict is kept in the pending token and redeemed later")
    func pending() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let guest = try await gateway.signUpAnonymously()
        let proof = try gateway.appleCredentialWithCode(.mary)
        _ = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential(.mary)))
        let conflict = try await gateway.link(proof, to: guest.idToken)
        let pending = try #require(conflict.pendingToken)
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(!pending.contains(proof.code ?? ""))
        let signedIn = try await gateway.signInWithIdp(["pendingToken": .string(pending)])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])
    }

    @Test("A merge redeems the code in the credential of its target, and keeps the grants of its source")
    func merge() async throws {
        let gateway = try await TestGateway(servesApple: true)
        _ = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        let guest = try await gateway.signUpAnonymously()
        let merged = try await gateway.merge(guest, intoAccountOf: gateway.appleCredentialWithCode())
        #expect(merged.status == 200, "\(merged.text)")
        #expect(try await gateway.appleGrantLines() == ["REDEEMING CODE \(Self.client)"])
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])

        // The account with the grant becomes the source of another merge.
        _ = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))
        let source = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        #expect(try await gateway.merge(source, intoAccountOf: gateway.googleCredential()).status == 200)
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN \(Self.client)"])
    }

    @Test("Authorization codes are encrypted, and re-encrypted under a new master key")
    func reencryption() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let proof = try gateway.appleCredentialWithCode()
        _ = try TestGateway.Tokens(await gateway.signIn(proof))
        #expect(try await !gateway.databaseDump().contains(proof.code ?? ""))
        let keys = try MasterKeys(current: TestGateway.newMasterKey, previous: TestGateway.masterKey)
        _ = try await Reencryption.run(on: gateway.database.pool, under: keys)
        let row = try #require(try await gateway.database.pool.query("SELECT id::text, token FROM apple_grant").first)
        let sealing = AppleGrantSealing.sealing(under: try MasterKeys(current: TestGateway.newMasterKey))
        let opened = try sealing.open(try row.decode("token"), ID(try row.decode("id")))
        #expect(opened.expose() == proof.code)
    }
}
