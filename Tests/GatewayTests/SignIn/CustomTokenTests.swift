import Crypto
import Encoding
import FoundationEssentials
import Identity
import JOSE
import Postgres
import Providers
import Storage
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

/// `customToken(at:)` makes a token with the uid `ada`.
@Suite("Sign-in with a custom token", .serialized)
struct CustomTokenTests {
    @Test(
        "A custom token creates one account with the token's uid as ID; the ID token names custom as the provider",
        arguments: SignatureAlgorithm.allCases)
    func wholePath(algorithm: SignatureAlgorithm) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(algorithm, in: gateway)
        let first = try await gateway.signIn(customToken: try backend.customToken(at: gateway.clock.now))
        #expect(first.outcome == "200")
        #expect(first.json.keys == ["kind", "isNewUser", "idToken", "refreshToken", "expiresIn"])
        #expect(first.json["kind"] == "identitytoolkit#VerifyCustomTokenResponse")
        #expect(first.json["isNewUser"] == true)
        let again = try await gateway.signIn(customToken: try backend.customToken(at: gateway.clock.now))
        #expect(again.json["isNewUser"] == false)
        let claims = try claims(of: try #require(again.json["idToken"]?.string))
        #expect(claims["sub"] == "ada")
        #expect(claims["firebase"] == ["identities": [:], "sign_in_provider": "custom"])
        #expect(claims["provider_id"] == nil)
        let user = try await gateway.accountSeenByUser(try #require(again.json["idToken"]?.string))
        #expect(user["localId"] == "ada")
        #expect(user["customAuth"] == true)
    }

    struct ClaimsRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let change: @Sendable (inout [String: JSON]) -> Void

        init(_ description: String, _ expected: String, _ change: @escaping @Sendable (inout [String: JSON]) -> Void) {
            (testDescription, self.expected, self.change) = (description, expected, change)
        }
    }

    /// The time at which `TestClock` starts.
    static let start = 1_800_000_000
    static let wrongAudience = "INVALID_CUSTOM_TOKEN : The custom token's aud must be \"\(ServiceKey.audience)\"."

    @Test(
        "A custom token with invalid claims is rejected",
        arguments: [
            ClaimsRow("no audience", wrongAudience) { $0["aud"] = nil },
            ClaimsRow("another audience", wrongAudience) {
                $0["aud"] = "demo"
            },
            ClaimsRow("a list of audiences", wrongAudience) {
                $0["aud"] = .array([.string(ServiceKey.audience)])
            },
            ClaimsRow("no issuer", "INVALID_CUSTOM_TOKEN : The custom token's iss and sub must be equal.") {
                $0["iss"] = nil
            },
            ClaimsRow("another subject", "INVALID_CUSTOM_TOKEN : The custom token's iss and sub must be equal.") {
                $0["sub"] = "ada"
            },
            ClaimsRow("no iat", "INVALID_CUSTOM_TOKEN : The custom token's iat, exp and any nbf must be numbers.") {
                $0["iat"] = nil
            },
            ClaimsRow("no exp", "INVALID_CUSTOM_TOKEN : The custom token's iat, exp and any nbf must be numbers.") {
                $0["exp"] = nil
            },
            ClaimsRow("exp as text", "INVALID_CUSTOM_TOKEN : The custom token's iat, exp and any nbf must be numbers.")
            {
                $0["exp"] = "1800003600"
            },
            // The clocks of gateway and backend may differ by 60 seconds.
            ClaimsRow("issued too far ahead", "INVALID_CUSTOM_TOKEN : The custom token's iat or nbf is in the future.")
            {
                $0["iat"] = .number(Double(start + 61))
            },
            ClaimsRow("not valid yet", "INVALID_CUSTOM_TOKEN : The custom token's iat or nbf is in the future.") {
                $0["nbf"] = .number(Double(start + 61))
            },
            ClaimsRow("expired", "INVALID_CUSTOM_TOKEN : The custom token has expired.") {
                $0["iat"] = .number(Double(start - 3660))
                $0["exp"] = .number(Double(start - 60))
            },
            ClaimsRow(
                "a lifetime of more than an hour",
                "INVALID_CUSTOM_TOKEN : The custom token's exp is more than an hour after its iat."
            ) {
                $0["exp"] = .number(Double(start + 3601))
            },
            ClaimsRow("no uid", "MISSING_IDENTIFIER") { $0["uid"] = nil },
            ClaimsRow("an empty uid", "MISSING_IDENTIFIER") { $0["uid"] = "" },
            ClaimsRow("a uid that is a number", "MISSING_IDENTIFIER") { $0["uid"] = 5 },
            ClaimsRow(
                "a long uid",
                "INVALID_CUSTOM_TOKEN : The custom token's uid must be 1 to 128 UTF-16 code units without NUL."
            ) {
                $0["uid"] = .string(String(repeating: "é", count: 129))
            },
            ClaimsRow("a tenant", "TENANT_ID_MISMATCH") { $0["tenant_id"] = "t" },
            ClaimsRow("claims in a list", "INVALID_CLAIMS") { $0["claims"] = ["admin"] },
            ClaimsRow("claims in a string", "INVALID_CLAIMS") { $0["claims"] = "{}" },
            // The JSON around the text has 8 characters, so the claims have 1001.
            ClaimsRow("claims too long", "CLAIMS_TOO_LARGE") {
                $0["claims"] = ["a": .string(String(repeating: "x", count: 993))]
            },
        ])
    func contents(row: ClaimsRow) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(at: gateway.clock.now, change: row.change)
        #expect(try await gateway.signIn(customToken: token).outcome == "400 \(row.expected)")
        let accounts = try await gateway.database.pool.query("SELECT id FROM account")
        #expect(accounts.isEmpty, "no account was created")
    }

    @Test(
        "A custom token with claims within the limits is accepted",
        arguments: [
            // The clocks of gateway and backend may differ by 60 seconds.
            ClaimsRow("issued a little ahead", "200") { $0["iat"] = .number(Double(start + 60)) },
            ClaimsRow("expired a moment ago", "200") {
                $0["iat"] = .number(Double(start - 3659))
                $0["exp"] = .number(Double(start - 59))
            },
            ClaimsRow("user_id for uid", "200") { $0["user_id"] = $0.removeValue(forKey: "uid") },
            ClaimsRow("a uid of 128 characters", "200") { $0["uid"] = .string(String(repeating: "é", count: 128)) },
            // The JSON around the text has 8 characters.
            ClaimsRow("claims of 1000 characters", "200") {
                $0["claims"] = ["a": .string(String(repeating: "x", count: 992))]
            },
            ClaimsRow("no claims", "200") { $0["claims"] = .null },
            ClaimsRow("claims without members", "200") { $0["claims"] = [:] },
        ])
    func limits(row: ClaimsRow) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(at: gateway.clock.now, change: row.change)
        #expect(try await gateway.signIn(customToken: token).outcome == row.expected)
    }

    @Test("The claims sid and act of a custom token are dropped, but not names that differ only in case")
    func claimsOfOtherTokens() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let other = try await gateway.signUp()
        let session = try #require(try claims(of: other.idToken)["sid"])
        func signIn(_ claims: JSON) async throws -> Exchange {
            try await gateway.signIn(
                customToken: backend.customToken(uid: other.localId, claims: claims, at: gateway.clock.now))
        }
        let answer = try await signIn(["sid": session, "act": ["sub": "eve"], "role": "editor"])
        let idToken = try #require(answer.json["idToken"]?.string)
        let claims = try claims(of: idToken)
        #expect(claims["role"] == "editor")
        #expect(claims["act"] == nil)
        #expect(claims["sid"] != session, "the new session has its own ID")
        _ = try await gateway.post("/v1/accounts:revokeSession", ["idToken": .string(idToken)])
        #expect(try await gateway.lookup(other.idToken).outcome == "200", "the other session lives on")
        #expect(
            try await signIn(["Sid": session]).outcome
                == "400 FORBIDDEN_CLAIM : Sid (the gateway sets this claim to the ID of the session)")
        #expect(try await signIn(["ACT": "eve"]).wireCode == "FORBIDDEN_CLAIM")
        #expect(try await signIn(["sub": "eve"]).outcome == "400 FORBIDDEN_CLAIM : sub")
    }

    @Test("A malformed token and a token with an invalid signature are rejected")
    func signatures() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let good = try backend.customToken(at: gateway.clock.now)
        let parts = good.split(separator: ".").map(String.init)
        let noneHeader = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        let hmacHeader = Base64URL.encode(Array(#"{"alg":"HS256","kid":"backend"}"#.utf8))
        let wrongAlgorithm =
            "INVALID_CUSTOM_TOKEN : The custom token must be signed with the algorithm of its key: RS256 or ES256."
        let malformed = "INVALID_CUSTOM_TOKEN : The custom token is not a JWT."
        let unsigned = "INVALID_CUSTOM_TOKEN : The custom token is not signed."
        let stranger = try PrivateKey.generate(.es256)
        let rsa = try PrivateKey.generate(.rs256)
        let payload = try #require(Base64URL.decode(parts[1]))
        let rows: [(String, String)] = [
            ("", "MISSING_CUSTOM_TOKEN"),
            ("nonsense", malformed),
            (#"{"uid":"ada"}"#, malformed),
            ("\(noneHeader).\(parts[1]).", unsigned),
            ("\(parts[0]).\(parts[1]).", unsigned),
            ("\(parts[0])..", malformed),
            ("\(parts[0]).\(parts[1])", malformed),
            ("\(parts[0]).\(parts[1])..", malformed),
            ("\(noneHeader).\(parts[1]).\(parts[2])", wrongAlgorithm),
            ("\(hmacHeader).\(parts[1]).\(parts[2])", wrongAlgorithm),
            (try JWS.sign(payload: payload, keyID: "backend", with: rsa), wrongAlgorithm),
            (
                try JWS.sign(payload: payload, keyID: "backend", with: stranger),
                "INVALID_CUSTOM_TOKEN : The custom token's signature is not valid."
            ),
            (
                try JWS.sign(payload: payload, keyID: "unknown", with: backend.privateKey),
                "INVALID_CUSTOM_TOKEN : The custom token's kid (or its iss, if it has no kid) is not the ID of an active service key."
            ),
            (try JWS.sign(payload: Array("[]".utf8), keyID: "backend", with: backend.privateKey), malformed),
            (
                try JWS.sign(
                    payload: Array(#"{"uid":"ada","uid":"eve"}"#.utf8), keyID: "backend", with: backend.privateKey),
                malformed
            ),
            (
                try await gateway.signUp().idToken,
                "INVALID_CUSTOM_TOKEN : The custom token's kid (or its iss, if it has no kid) is not the ID of an active service key."
            ),
        ]
        for (token, expected) in rows {
            #expect(try await gateway.signIn(customToken: token).outcome == "400 \(expected)", "\(token)")
        }
        #expect(try await gateway.signIn(customToken: good).outcome == "200")
    }

    @Test("The key of a token without kid is found by the token's issuer")
    func withoutKeyID() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        for (issuer, isAccepted) in [("backend", true), ("backend@example.com", false)] {
            let signed = try backend.customToken(at: gateway.clock.now) {
                $0["iss"] = .string(issuer)
                $0["sub"] = .string(issuer)
            }
            let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8))
            let input = "\(header).\(signed.split(separator: ".")[1])"
            let token = try "\(input).\(Base64URL.encode(backend.privateKey.sign(Array(input.utf8))))"
            #expect((try await gateway.signIn(customToken: token).status == 200) == isAccepted)
        }
    }

    @Test("Custom tokens signed with a revoked key or with another project's key are rejected")
    func keys() async throws {
        let gateway = try await TestGateway()
        try await gateway.makeOtherProject()
        let theirs = try await ServiceKey(id: "theirs", of: ID("other"), in: gateway)
        let now = gateway.clock.now
        #expect(try await gateway.signIn(customToken: theirs.customToken(at: now)).outcome == "400 CREDENTIAL_MISMATCH")
        let ours = try await ServiceKey(id: "ours", in: gateway)
        // A key of the other project with the same ID.
        let twin = try await ServiceKey(id: "ours", of: ID("other"), in: gateway, secret: "sks_twin")
        #expect(try await gateway.signIn(customToken: ours.customToken(at: now)).outcome == "200")
        #expect(
            try await gateway.signIn(customToken: twin.customToken(at: now)).outcome
                == "400 INVALID_CUSTOM_TOKEN : The custom token's signature is not valid.")
        let isRevoked = try await ServiceKeyStore(pool: gateway.database.pool)
            .revoke("ours", in: gateway.realm.project.id, at: now)
        #expect(isRevoked)
        let fresh = try gateway.withFreshCaches()
        #expect(
            try await fresh.signIn(customToken: ours.customToken(at: now)).outcome
                == "400 INVALID_CUSTOM_TOKEN : The custom token's signature is not valid.",
            "only the other project's key with this ID is left")
    }

    @Test("Sign-in with a custom token is available under the path of protocol version 3")
    func legacy() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let answer = try await gateway.post(
            "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyCustomToken",
            ["token": .string(backend.customToken(at: gateway.clock.now)), "returnSecureToken": true])
        #expect(answer.outcome == "200")
    }

    @Test("A token of a Google service account is accepted only in dev mode, for the right audience and tenant")
    func serviceAccount() async throws {
        let dev = try await TestGateway(mode: .emulator(project: ID("demo")))
        let serve = try await TestGateway()
        let backend = try await ServiceKey(in: dev)
        func token(_ change: (inout [String: JSON]) -> Void = { _ in }) throws -> String {
            let account: JSON = "firebase-adminsdk-x1@shop.iam.gserviceaccount.com"
            return try backend.customToken(at: dev.clock.now, keyID: "unknown") { payload in
                (payload["iss"], payload["sub"]) = (account, account)
                change(&payload)
            }
        }
        #expect(try await dev.signIn(customToken: token()).outcome == "200")
        let otherAudience = try token { $0["aud"] = "https://example.com" }
        #expect(try await dev.signIn(customToken: otherAudience).wireCode == "INVALID_CUSTOM_TOKEN")
        let ofTenant = try token { $0["tenant_id"] = "acme" }
        #expect(try await dev.signIn(customToken: ofTenant).outcome == "400 TENANT_ID_MISMATCH")
        for issuer: JSON in ["eve@gserviceaccount.com.example", ".gserviceaccount.com", "a@xgserviceaccount.com"] {
            let token = try token { $0["iss"] = issuer }
            #expect(try await dev.signIn(customToken: token).wireCode == "INVALID_CUSTOM_TOKEN", "\(issuer)")
        }
        #expect(try await serve.signIn(customToken: token()).wireCode == "INVALID_CUSTOM_TOKEN")
    }

    @Test("Unsigned tokens are accepted only in dev mode, and dev mode still verifies signed tokens")
    func unsigned() async throws {
        let dev = try await TestGateway(mode: .emulator(project: ID("demo")))
        try await PostgresTenantStore(pool: dev.database.pool, supporting: .live).create(
            Tenant(id: ID("acme"), parent: ID("demo"), settings: TenantSettings()), by: .system, at: dev.clock.now)
        let backend = try await ServiceKey(in: dev)
        let good = try backend.customToken(at: dev.clock.now)
        let payload = good.split(separator: ".")[1]
        func unsigned(_ header: String) -> String { "\(Base64URL.encode(Array(header.utf8))).\(payload)." }
        let none = unsigned(#"{"alg":"none","typ":"JWT"}"#)
        // Firebase's Admin SDK for Java sends such tokens.
        let withoutSignature = unsigned(#"{"alg":"RS256"}"#)
        let bare = #"{"uid":"ada","claims":{"role":"editor"}}"#
        for token in [none, withoutSignature, bare, good] {
            #expect(try await dev.signIn(customToken: token).outcome == "200", "\(token)")
        }
        let inTenant = try await [none, withoutSignature, bare].asyncMap {
            try await dev.post("/v1/accounts:signInWithCustomToken", ["token": .string($0), "tenantId": "acme"]).outcome
        }
        #expect(
            inTenant == ["400 TENANT_ID_MISMATCH", "400 TENANT_ID_MISMATCH", "200"],
            "bare claims need not name a tenant")
        #expect(try await dev.signIn(customToken: #"{"claims":{}}"#).outcome == "400 MISSING_IDENTIFIER")
        #expect(
            try await dev.signIn(customToken: #"{"uid":"ada","claims":{"sub":"eve"}}"#).outcome
                == "400 FORBIDDEN_CLAIM : sub")
        #expect(try await dev.signIn(customToken: String(good.dropLast(4)) + "AAAA").status == 400)
        let serve = try await TestGateway()
        _ = try await ServiceKey(in: serve)
        let refusals = try await [none, withoutSignature, bare].asyncMap {
            try await serve.signIn(customToken: $0).outcome
        }
        #expect(
            refusals.map { $0.replacing("400 INVALID_CUSTOM_TOKEN : The custom token is not ", with: "") }
                == ["signed.", "signed.", "a JWT."])
    }
}
