import API
import HTTP
import Identity
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Scopes of service keys", .serialized)
struct ServiceKeyScopeTests {
    /// The operations that need a scope.
    static let operations = Endpoint.all.filter { $0.scope != nil }

    /// They need `config` and `trust`, or another scope for some emails; see `deletionOfTenants`, `support`,
    /// `BrandImageTests` and `EventEndpointTests`.
    static let operationsWithTwoScopes: Set = [
        "createBrandImage", "createEventEndpoint", "deleteEventEndpoint", "deleteTenant", "rotateEventEndpointSecret",
        "sendOobCode",
        "sendProjectOobCode", "updateEventEndpoint",
    ]

    @Test("Each operation is allowed with its scope, a scope that includes it or the scope `all`, and with no other")
    func requiredScopes() async throws {
        let gateway = try await TestGateway()
        #expect(Self.operations.count > 30)
        for scope in ServiceKeyScope.allCases {
            let key = try await ServiceKey(id: scope.rawValue, in: gateway, scopes: ServiceKeyScopes([scope]))
            for operation in Self.operations where !Self.operationsWithTwoScopes.contains(operation.operationID) {
                let outcome = try await gateway.call(operation, by: key).outcome
                let isRefused = outcome.hasPrefix("403 PERMISSION_DENIED : The service key lacks the scope ")
                let isAllowed = operation.scope.map(ServiceKeyScopes([scope]).allows)
                #expect(isRefused == (isAllowed == false), "\(operation.operationID) with \(scope): \(outcome)")
                if isRefused {
                    #expect(outcome.hasSuffix(" \(operation.scope?.rawValue ?? "")."), "\(operation.operationID)")
                }
            }
        }
        let keyWithAllScopes = try await ServiceKey(id: "all", in: gateway)
        for operation in Self.operations {
            let answer = try await gateway.call(operation, by: keyWithAllScopes)
            #expect(answer.status != 403 && answer.status != 401, "\(operation.operationID): \(answer.outcome)")
        }
    }

    @Test("Only with the scope users.write, validSince becomes an earlier time", arguments: [false, true])
    func validSince(mayWrite: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        let before = try await gateway.accountSeenByAdmin(ada.localId)["validSince"]
        let key = try await ServiceKey(
            id: "support", in: gateway,
            scopes: ServiceKeyScopes(mayWrite ? [.supportUsers, .writeUsers] : [.supportUsers]))
        let body: JSON = ["localId": .string(ada.localId), "validSince": "1000000000"]
        let updated = try await gateway.send(.post, "/v1/projects/demo/accounts:update", body, by: key)
        #expect(updated.outcome == "200")
        let after = try await gateway.accountSeenByAdmin(ada.localId)["validSince"]
        #expect(after == (mayWrite ? "1000000000" : before))
        #expect(try await gateway.refresh(ada.refreshToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test(
        "With the scope users.support, a caller disables an account, ends its sessions and sends two kinds of emails",
        arguments: [
            (":update", ["localId": "ada", "disableUser": true], nil),
            (":update", ["localId": "ada", "validSince": "1790000000"], nil),
            (":update", ["localId": "ada", "disableUser": true, "displayName": "Eve"], "users.write"),
            (":update", ["localId": "ada", "password": "staple battery horse"], "users.write"),
            (":update", ["localId": "ada", "email": "eve@example.com"], "users.write"),
            (":update", ["localId": "ada", "deleteAttribute": ["EMAIL"]], "users.write"),
            (":update", ["localId": "ada", "emailVerified": true], "users.write"),
            (":update", ["localId": "ada", "customAttributes": "{}"], "users.write"),
            (":update", ["localId": "ada", "deletePasskey": ["AAAA"]], "users.link"),
            (":sendOobCode", ["requestType": "VERIFY_EMAIL", "email": "ada@example.com"], nil),
            (":sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"], nil),
            (":sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"], "users.write"),
            (
                ":sendOobCode",
                ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true], "tokens.mint"
            ),
        ] as [(String, JSON, String?)])
    func support(operation: String, body: JSON, missing: String?) async throws {
        let gateway = try await TestGateway()
        let admin = try await ServiceKey(id: "all", in: gateway)
        let account: JSON = ["localId": "ada", "email": "ada@example.com"]
        #expect(try await gateway.send(.post, "/v1/projects/demo/accounts", account, by: admin).status == 200)
        let key = try await ServiceKey(id: "support", in: gateway, scopes: ServiceKeyScopes([.supportUsers]))
        let outcome = try await gateway.send(.post, "/v1/projects/demo/accounts\(operation)", body, by: key).outcome
        #expect(outcome == (missing.map { "403 PERMISSION_DENIED : The service key lacks the scope \($0)." } ?? "200"))
    }

    @Test("Every operation needs a valid service key of the project")
    func invalidKeys() async throws {
        let gateway = try await TestGateway()
        try await gateway.makeOtherProject(serviceKey: "sks_elsewhere")
        let revoked = try await ServiceKey(id: "revoked", in: gateway)
        let keys = ServiceKeyStore(pool: gateway.database.pool)
        #expect(try await keys.revoke(revoked.id, in: gateway.realm.project.id, at: gateway.clock.now))
        let expired = try await ServiceKey(id: "expired", in: gateway, expiresAt: gateway.clock.now)
        let keyOfOtherProject = try await ServiceKey(id: "others", of: ID("other"), in: gateway)
        for operation in Self.operations {
            for key in [revoked, expired] {
                let answer = try await gateway.call(operation, by: key)
                #expect(answer.status == 401, "\(operation.operationID) with the key that is \(key.id)")
            }
            if operation.path.contains("{project}") {
                let answer = try await gateway.call(operation, by: keyOfOtherProject)
                #expect(answer.outcome == "403 The caller does not have permission", "\(operation.operationID)")
                let client = try await gateway.call(operation, apiKey: TestGateway.apiKey)
                #expect(client.outcome.hasPrefix("400 INSUFFICIENT_PERMISSION"), "\(operation.operationID)")
            }
            #expect(try await gateway.call(operation).status == 403, "\(operation.operationID) without any key")
        }
    }

    /// Operations on accounts whose body decides that they need a second scope besides `users.write`.
    static let bodiesWithSecondScope: [(String, JSON, ServiceKeyScope)] = [
        (
            ":sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "returnOobLink": true],
            .mintTokens
        ),
        (
            ":update", ["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "1"]],
            .linkUsers
        ),
        (":update", ["localId": "ada", "deleteProvider": ["google.com"]], .linkUsers),
        (":update", ["localId": "ada", "mfa": [:]], .linkUsers),
        ("", ["localId": "eve", "mfaInfo": [["phoneInfo": "+15555550100"]]], .linkUsers),
        (
            ":batchCreate",
            ["users": [["localId": "eve", "providerUserInfo": [["providerId": "google.com", "rawId": "1"]]]]],
            .linkUsers
        ),
        (
            ":batchCreate",
            ["users": [["localId": "eve", "mfaInfo": [["mfaEnrollmentId": "f", "phoneInfo": "+15555550100"]]]]],
            .linkUsers
        ),
    ]

    @Test(
        "An import that overwrites an account that has identities needs the scope users.link",
        // A user, `allowOverwrite`, and whether `users.write` is sufficient. Of the stored accounts, `ada` has no
        // identity, and `bob` has one. There is no `eve`.
        arguments: [
            (["localId": "bob"], true, false), (["localId": "bob", "email": "bob@example.com"], true, false),
            (["localId": "ada"], true, true), (["localId": "eve"], true, true), (["localId": "bob"], false, true),
        ] as [(JSON, Bool, Bool)])
    func overwrite(user: JSON, overwrites: Bool, isAllowed: Bool) async throws {
        let gateway = try await AdminAuditTests.gatewayWithAdaAndBob()
        let before = try await gateway.accountsAsStored()
        let body: JSON = ["users": [["localId": "new"], user], "allowOverwrite": .bool(overwrites)]
        let path = "/v1/projects/demo/accounts:batchCreate"
        let writer = try await ServiceKey(id: "writer", in: gateway, scopes: ServiceKeyScopes([.writeUsers]))
        let outcome = try await gateway.send(.post, path, body, by: writer).outcome
        #expect(outcome == (isAllowed ? "200" : "403 PERMISSION_DENIED : The service key lacks the scope users.link."))
        if !isAllowed { #expect(try await gateway.accountsAsStored() == before, "nothing is stored") }
        let both = try await ServiceKey(id: "both", in: gateway, scopes: ServiceKeyScopes([.writeUsers, .linkUsers]))
        #expect(try await gateway.send(.post, path, body, by: both).outcome == "200")
    }

    @Test("An import that overwrites an account that has a second factor needs the scope users.link")
    func overwriteFactor() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let body: JSON = ["users": [["localId": .string(ada.localId)]], "allowOverwrite": true]
        let path = "/v1/projects/demo/accounts:batchCreate"
        let writer = try await ServiceKey(id: "writer", in: gateway, scopes: ServiceKeyScopes([.writeUsers]))
        let outcome = try await gateway.send(.post, path, body, by: writer).outcome
        #expect(outcome == "403 PERMISSION_DENIED : The service key lacks the scope users.link.")
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] != nil)
        let both = try await ServiceKey(id: "both", in: gateway, scopes: ServiceKeyScopes([.writeUsers, .linkUsers]))
        #expect(try await gateway.send(.post, path, body, by: both).outcome == "200")
    }

    @Test(
        "To issue a link or to change identities, a service key needs a second scope besides users.write",
        arguments: bodiesWithSecondScope)
    func secondScope(operation: String, body: JSON, scope: ServiceKeyScope) async throws {
        let gateway = try await TestGateway()
        let keyWithAllScopes = try await ServiceKey(id: "all", in: gateway)
        #expect(
            try await gateway.send(.post, "/v1/projects/demo/accounts", ["localId": "ada"], by: keyWithAllScopes)
                .status == 200
        )
        let writer = try await ServiceKey(id: "writer", in: gateway, scopes: ServiceKeyScopes([.writeUsers]))
        let path = "/v1/projects/demo/accounts\(operation)"
        let outcome = try await gateway.send(.post, path, body, by: writer).outcome
        #expect(outcome == "403 PERMISSION_DENIED : The service key lacks the scope \(scope.rawValue).")
        let both = try await ServiceKey(id: "both", in: gateway, scopes: ServiceKeyScopes([.writeUsers, scope]))
        #expect(try await gateway.send(.post, path, body, by: both).outcome == "200")
    }

    @Test(
        "To delete a tenant with its accounts, a service key needs the scopes config and users.write",
        arguments: [
            ([.config], "users.write"), ([.writeUsers], "config"), ([.config, .trust, .linkUsers], "users.write"),
            ([.config, .writeUsers], nil),
        ] as [(Set<ServiceKeyScope>, String?)])
    func deletionOfTenants(scopes: Set<ServiceKeyScope>, missing: String?) async throws {
        let fixture = try await TenantFixture()
        let path = "\(TenantFixture.tenantsPath)/\(try await fixture.makeTenant())"
        let key = try await ServiceKey(id: "limited", in: fixture.gateway, scopes: ServiceKeyScopes(scopes))
        let outcome = try await fixture.gateway.send(.delete, path, by: key).outcome
        #expect(outcome == (missing.map { "403 PERMISSION_DENIED : The service key lacks the scope \($0)." } ?? "200"))
        #expect(try await fixture.send(.get, path).status == (missing == nil ? 404 : 200))
    }

    @Test(
        "A custom token is accepted only from an unexpired key that may sign custom tokens",
        arguments: [
            (ServiceKeyScopes([.mintTokens]), Duration.seconds(60), "200"),
            (.all, .seconds(60), "200"),
            (
                ServiceKeyScopes(Set(ServiceKeyScope.allCases).subtracting([.mintTokens])), .seconds(60),
                "400 INVALID_CUSTOM_TOKEN : The custom token's service key lacks the scope tokens.mint."
            ),
            (
                .all, .zero,
                "400 INVALID_CUSTOM_TOKEN : The custom token's kid (or its iss, if it has no kid) is not the ID of an active service key."
            ),
        ])
    func customToken(scopes: ServiceKeyScopes, keyLifetime: Duration, expected: String) async throws {
        let gateway = try await TestGateway()
        let key = try await ServiceKey(in: gateway, scopes: scopes, expiresAt: gateway.clock.now + keyLifetime)
        let token = try key.customToken(at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).outcome == expected)
    }

    @Test("A service key stops working when it expires, even if it is cached")
    func expiry() async throws {
        let gateway = try await TestGateway()
        let key = try await ServiceKey(in: gateway, expiresAt: gateway.clock.now + .seconds(60))
        let path = "/v1/projects/demo/accounts:query"
        #expect(try await gateway.send(.post, path, [:], by: key).status == 200)
        gateway.clock.advance(by: .seconds(59))
        #expect(try await gateway.send(.post, path, [:], by: key).status == 200)
        let token = try key.customToken(at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).status == 200)
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.send(.post, path, [:], by: key).status == 401)
        #expect(try await gateway.signIn(customToken: token).status == 400)
    }

    @Test("A service key can be replaced without a failed request")
    func rotation() async throws {
        let gateway = try await TestGateway()
        let path = "/v1/projects/demo/accounts:query"
        /// The statuses of an administrator's request, and of a sign-in with a custom token that the key signs.
        func statuses(_ key: ServiceKey, _ gateway: TestGateway) async throws -> [Int] {
            let query = try await gateway.send(.post, path, [:], by: key)
            let token = try key.customToken(at: gateway.clock.now)
            return [query.status, try await gateway.signIn(customToken: token).status]
        }
        let old = try await ServiceKey(id: "old", in: gateway)
        #expect(try await statuses(old, gateway) == [200, 200])
        let new = try await ServiceKey(id: "new", in: gateway)
        #expect(try await statuses(new, gateway) == [200, 200])
        #expect(try await statuses(old, gateway) == [200, 200], "the old key still works")
        let keys = ServiceKeyStore(pool: gateway.database.pool)
        #expect(try await keys.revoke(old.id, in: gateway.realm.project.id, at: gateway.clock.now))
        #expect(try await statuses(new, gateway) == [200, 200])
        let withFreshCaches = try gateway.withFreshCaches()
        #expect(try await statuses(old, withFreshCaches) == [401, 400])
        #expect(try await statuses(new, withFreshCaches) == [200, 200])
    }

    @Test("The last use of a service key is written after the request, at most every five minutes")
    func lastUse() async throws {
        let gateway = try await TestGateway()
        let key = try await ServiceKey(in: gateway)
        let keys = ServiceKeyStore(pool: gateway.database.pool)
        func lastUse() async throws -> Instant? { try await keys.list(in: gateway.realm.project.id)[0].lastUsedAt }
        func use() async throws {
            _ = try await gateway.send(.post, "/v1/projects/demo/accounts:query", [:], by: key)
        }
        let start = gateway.clock.now
        try await use()
        #expect(try await lastUse() == nil, "the request does not write it")
        try await gateway.serviceKeyUse.write(to: keys)
        #expect(try await lastUse() == start)
        gateway.clock.advance(by: .seconds(299))
        try await use()
        try await gateway.serviceKeyUse.write(to: keys)
        #expect(try await lastUse() == start)
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.signIn(customToken: try key.customToken(at: gateway.clock.now))
        try await gateway.serviceKeyUse.write(to: keys)
        #expect(try await lastUse() == gateway.clock.now, "the use of a custom token counts as a use of its key")
    }

    @Test("Unknown scope names are rejected on the command line, and ignored in the database")
    func names() {
        #expect(ServiceKeyScopes(parsing: "users.read,config")?.names == ["users.read", "config"])
        #expect(ServiceKeyScopes(parsing: "users.read,all")?.names == ["all"])
        for list in ["", "users.read,", "users.*", "users.read, config"] {
            #expect(ServiceKeyScopes(parsing: list) == nil)
        }
        let newer = ServiceKeyScopes(names: ["passkeys.write"])
        #expect(ServiceKeyScope.allCases.allSatisfy { !newer.allows($0) })
    }
}

extension TestGateway {
    /// Calls an operation with an empty object as the body, which is enough to test whether access is granted.
    fileprivate func call(_ operation: Endpoint, by serviceKey: ServiceKey? = nil, apiKey: String? = nil) async throws
        -> Exchange
    {
        let path = operation.path.replacing(#/\{(\w+)\}/#) { $0.output.1 == "project" ? "demo" : "x" }
        return try await send(
            operation.method, path, body: Array("{}".utf8), query: apiKey.map { [("key", $0)] } ?? [],
            headers: serviceKey.map { ["Authorization": "Bearer \($0.secret)"] } ?? [:])
    }
}
