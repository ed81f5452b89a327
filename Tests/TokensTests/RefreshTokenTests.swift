import Crypto
import Identity
import Testing

@testable import Tokens

@Suite("Refresh tokens")
struct RefreshTokenTests {
    let contents = RefreshTokenContents(
        session: ID("0b8fcf3c-6d0c-4a50-9b9e-2f1f7d1f9c11"), counter: 0x0102_0304_0506_0708)
    let secret = [UInt8](repeating: 9, count: 32)

    @Test("A refresh token has 82 characters and can be decoded")
    func roundTrip() throws {
        let token = try RefreshTokenCodec.encode(contents, keyID: "00c0ffee", secret: secret, in: realm)
        // 82 characters for 61 bytes: version (1), key ID (4), session (16), counter (8), authentication code (32).
        #expect(token.count == 82)
        #expect(decode(token) == contents)
    }

    @Test("A refresh token is rejected with another key, in another project, or with any character changed")
    func forged() throws {
        let token = try RefreshTokenCodec.encode(contents, keyID: "00c0ffee", secret: secret, in: realm)
        #expect(RefreshTokenCodec.decode(token, in: Self.realm("other")) { _ in secret } == nil)
        #expect(RefreshTokenCodec.decode(token, in: realm) { _ in [UInt8](repeating: 8, count: 32) } == nil)
        #expect(RefreshTokenCodec.decode(token, in: realm) { _ in nil } == nil)
        let characters = Array(token)
        for position in characters.indices {
            var changed = characters
            changed[position] = changed[position] == "B" ? "C" : "B"
            #expect(decode(String(changed)) == nil, "at \(position)")
        }
    }

    @Test(
        "A malformed refresh token is rejected",
        arguments: ["", "A", "AQ", String(repeating: "A", count: 82), String(repeating: "A", count: 5000), "é"])
    func nonsense(text: String) {
        #expect(decode(text) == nil)
    }

    @Test("A refresh token of a tenant contains the tenant's ID, and is valid only in this tenant")
    func tenant() throws {
        var settings = TenantSettings()
        settings.displayName = "Acme"
        let acme = Realm(
            Tenant(id: ID("acme"), parent: realm.project.id, settings: settings), of: realm, providers: [])
        let other = Realm(
            Tenant(id: ID("acmf"), parent: realm.project.id, settings: settings), of: realm, providers: [])
        let token = try RefreshTokenCodec.encode(contents, keyID: "00c0ffee", secret: secret, in: acme)
        #expect(RefreshTokenCodec.tenant(namedBy: token) == ID("acme"))
        #expect(RefreshTokenCodec.decode(token, in: acme) { _ in secret } == contents)
        #expect(RefreshTokenCodec.decode(token, in: other) { _ in secret } == nil)
        #expect(decode(token) == nil)
    }

    private let realm = realm("demo")

    private static func realm(_ id: String) -> Realm {
        Realm(
            Project(id: ID(id), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .none),
            policy: Policy(.sekisho))
    }

    private func decode(_ token: String) -> RefreshTokenContents? {
        RefreshTokenCodec.decode(token, in: realm) { $0 == "00c0ffee" ? secret : nil }
    }
}
