import Crypto
import Encoding
import Identity
import JSON
import Providers
import Testing

/// The nonce claims of a token, the nonce of the request, and the expected refusal. A description says where the nonce
/// is, or in which form the token contains it.
struct NonceRow: CustomTestStringConvertible {
    let testDescription: String
    /// The token's claim `nonce`.
    var claim: JSONValue?
    /// The nonce of the request, which is not hashed.
    var raw: String?
    /// The token's claim `nonce_supported`.
    var nonceSupported: JSONValue? = true
    /// Whether the project requires a nonce in Apple's tokens.
    var isRequired = false
    /// Whether the project accepts Apple's tokens with an unhashed nonce.
    var acceptsUnhashed = false
    var refusal: ProviderRefusal?

    /// The nonce of the request in most rows, and its hashes.
    static let raw = "n-0S6_WzA2Mj+/= é"
    static let hashed = JSONValue.string(sha256(raw))
    static let hashedBase64URL = JSONValue.string(Base64URL.encode(Digest.sha256(Array(raw.utf8))))

    /// Rows for Apple.
    static let apple = [
        NonceRow(testDescription: "neither the token nor the request has a nonce"),
        NonceRow(
            testDescription: "neither the token nor the request has a nonce, and the project requires one",
            isRequired: true, refusal: .nonce(.missing)),
        NonceRow(testDescription: "the hash", claim: hashed, raw: raw),
        NonceRow(
            testDescription: "the hash, and the project requires a nonce", claim: hashed, raw: raw, isRequired: true),
        NonceRow(testDescription: "only in the token", claim: hashed, refusal: .nonce(.missingInRequest)),
        NonceRow(testDescription: "empty in the token", claim: "", refusal: .nonce(.missingInRequest)),
        NonceRow(
            testDescription: "only in the token, from a device without support for nonces", claim: hashed,
            nonceSupported: false, refusal: .nonce(.missingInRequest)),
        NonceRow(testDescription: "only in the request", raw: raw, refusal: .nonce(.missingInToken)),
        NonceRow(
            testDescription: "only in the request, from a device without support for nonces", raw: raw,
            nonceSupported: false),
        NonceRow(
            testDescription: "only in the request, from a device without support for nonces, as text", raw: raw,
            nonceSupported: "false", isRequired: true),
        NonceRow(
            testDescription: "only in the request, without nonce_supported", raw: raw, nonceSupported: nil,
            refusal: .nonce(.missingInToken)),
        NonceRow(
            testDescription: "only in the request, with an invalid nonce_supported", raw: raw, nonceSupported: 0,
            refusal: .nonce(.missingInToken)),
        NonceRow(
            testDescription: "not a string in the token", claim: 7, raw: raw, refusal: .invalidToken(.claim("nonce"))),
        NonceRow(
            testDescription: "another nonce", claim: .string(sha256("other")), raw: raw,
            refusal: .nonce(.doesNotMatch(seen: .sha256Hex))),
        NonceRow(
            testDescription: "the hash in upper case", claim: .string(sha256(raw).uppercased()), raw: raw,
            refusal: .nonce(.doesNotMatch(seen: .sha256Hex))),
        NonceRow(
            testDescription: "the hash in base64url", claim: hashedBase64URL, raw: raw,
            refusal: .nonce(.doesNotMatch(seen: .sha256Base64URL))),
        NonceRow(
            testDescription: "unhashed", claim: .string(raw), raw: raw,
            refusal: .nonce(.doesNotMatch(seen: .unhashed))),
        NonceRow(testDescription: "unhashed, which is allowed", claim: .string(raw), raw: raw, acceptsUnhashed: true),
        NonceRow(
            testDescription: "the hash, although unhashed is allowed", claim: hashed, raw: raw, acceptsUnhashed: true),
        NonceRow(
            testDescription: "the hash as the nonce of the request", claim: hashed, raw: sha256(raw),
            refusal: .nonce(.doesNotMatch(seen: .unhashed))),
        NonceRow(
            testDescription: "empty in both", claim: "", raw: "", acceptsUnhashed: true, refusal: .nonce(.invalidLength)
        ),
        NonceRow(
            testDescription: "some other text", claim: "7", raw: raw, refusal: .nonce(.doesNotMatch(seen: .other))),
        NonceRow(testDescription: "empty in the request", raw: "", refusal: .nonce(.invalidLength)),
        NonceRow(
            testDescription: "of 1024 bytes", claim: .string(sha256(String(repeating: "é", count: 512))),
            raw: String(repeating: "é", count: 512)),
        NonceRow(
            testDescription: "of 1025 bytes", claim: .string(sha256(String(repeating: "n", count: 1025))),
            raw: String(repeating: "n", count: 1025), refusal: .nonce(.invalidLength)),
    ]

    /// Rows for Google and for OpenID providers.
    static let openID = [
        NonceRow(testDescription: "neither the token nor the request has a nonce"),
        NonceRow(
            testDescription: "neither the token nor the request has a nonce, and the project requires one",
            isRequired: true),
        NonceRow(testDescription: "unhashed", claim: .string(raw), raw: raw),
        NonceRow(testDescription: "the hash", claim: hashed, raw: raw),
        NonceRow(testDescription: "only in the token, added by an SDK", claim: .string(raw)),
        NonceRow(testDescription: "not a string, and the request has none", claim: 7),
        NonceRow(
            testDescription: "not a string, and the request has one", claim: 7, raw: raw,
            refusal: .invalidToken(.claim("nonce"))),
        NonceRow(
            testDescription: "only in the request", raw: raw, nonceSupported: false, refusal: .nonce(.missingInToken)),
        NonceRow(
            testDescription: "another nonce", claim: .string(sha256("other")), raw: raw,
            refusal: .nonce(.doesNotMatch(seen: .sha256Hex))),
        NonceRow(
            testDescription: "the hash in base64url", claim: hashedBase64URL, raw: raw,
            refusal: .nonce(.doesNotMatch(seen: .sha256Base64URL))),
        NonceRow(testDescription: "empty in the request", claim: "", raw: "", refusal: .nonce(.invalidLength)),
        NonceRow(
            testDescription: "of 1025 bytes", raw: String(repeating: "n", count: 1025), refusal: .nonce(.invalidLength)),
    ]

    var changes: Changes { ["nonce": claim ?? .null, "nonce_supported": nonceSupported ?? .null] }

    func applyPolicy(to realm: inout Realm) {
        realm.policy.requiresNonce = isRequired
        realm[.apple].apple?.acceptsUnhashedNonces = acceptsUnhashed
    }
}

@Suite("Nonces")
struct NonceTests {
    @Test(
        "Apple's token must have the hash of the request's nonce, unless the policy or nonce_supported says otherwise",
        arguments: NonceRow.apple)
    func apple(row: NonceRow) async throws {
        let token = try appleToken(changing: row.changes)
        #expect(try await Fixture().refusal(of: token, nonce: row.raw, changeRealm: row.applyPolicy) == row.refusal)
    }

    @Test("The nonce of Google's token is compared only if the request has a nonce", arguments: NonceRow.openID)
    func google(row: NonceRow) async throws {
        let token = try googleToken(changing: row.changes)
        let refusal = try await Fixture().refusal(
            of: token, from: .google, nonce: row.raw, changeRealm: row.applyPolicy)
        #expect(refusal == row.refusal)
    }

    @Test(
        "The nonce of an OpenID provider's token is compared only if the request has a nonce",
        arguments: NonceRow.openID)
    func openID(row: NonceRow) async throws {
        let token = try openIDToken(changing: row.changes)
        let refusal = try await Fixture().refusal(
            of: token, from: Fixture.openID, nonce: row.raw, changeRealm: row.applyPolicy)
        #expect(refusal == row.refusal)
    }

    @Test("A verified identity has the unhashed nonce of the request or of the token, unless the nonce is too long")
    func known() async throws {
        let fixture = Fixture()
        let unhashed = try googleToken(changing: ["nonce": "claimed"])
        #expect(try await fixture.verify(unhashed, of: .google).nonce == "claimed")
        let hashed = try googleToken(changing: ["nonce": .string(sha256("raw"))])
        #expect(try await fixture.verify(hashed, of: .google, nonce: "raw").nonce == "raw")
        let long = try googleToken(changing: ["nonce": .string(String(repeating: "n", count: 1025))])
        #expect(try await fixture.verify(long, of: .google).nonce == nil)
        #expect(try await fixture.verify(appleToken()).nonce == nil)
    }

    /// The gateway stores replay keys to reject a nonce that is used again.
    @Test("A nonce in Apple's token has one replay key for each user, which is valid at least as long as the token")
    func replayKeys() async throws {
        let fixture = Fixture()
        func keys(_ nonce: String, subject: JSONValue = "one") async throws -> [ReplayKey] {
            let token = try appleToken(changing: ["nonce": .string(sha256(nonce)), "sub": subject])
            return try await fixture.verify(token, nonce: nonce).replayKeys
        }
        let first = try await keys("a")
        #expect(first.count == 1)
        #expect(first[0].hash.count == 32)
        // The token expires after a day, and is accepted for another minute.
        #expect(first[0].expiresAt >= Fixture.start + .seconds(86_400 + 60))
        #expect(try await keys("a", subject: "two") != first)
        #expect(try await keys("b") != first)
        #expect(try await fixture.verify(appleToken()).replayKeys.isEmpty)
        let unsupported = try appleToken(changing: ["nonce_supported": false])
        #expect(try await fixture.verify(unsupported, nonce: "a").replayKeys.isEmpty)
        let google = try googleToken(changing: ["nonce": "a"])
        #expect(try await fixture.verify(google, of: .google, nonce: "a").replayKeys.isEmpty)
    }
}
