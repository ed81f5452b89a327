import Foundation
import Testing

@testable import SekishoAuth

@Suite("The stored session")
struct StoredSessionTests {
    /// An item as version 0.1.0, the first one, writes it. Every later version must be able to read it; otherwise its
    /// users would be signed out.
    private static let item = #"""
        {"format":1,"owner":"default\nhttps://auth.example.com\nkey\n","session":{"isAnonymous":false,\#
        "profile":{"createdAt":1800000000,"email":"ada@example.com","identities":[{\#
        "email":"ada@example.com","providerID":"password","uid":"ada@example.com"}],"isEmailVerified":true,\#
        "lastSignInAt":1800000000,"uid":"ada"},"tenantID":"acme","tokens":{"clockOffset":-1.5,"idToken":"a.b.c",\#
        "lifetime":3600,"requestedAt":1800000000,"refreshToken":"r"}}}
        """#

    @Test("The item of version 0.1.0 can be read")
    func fixture() throws {
        let key = SessionKey(
            app: "default", server: try #require(URL(string: "https://auth.example.com")), apiKey: "key",
            tenantID: nil)
        let stored = try #require(try StoredSession(decoding: Data(Self.item.utf8), of: key))
        #expect(stored.session.profile.uid == "ada")
        #expect(stored.session.profile.identities.map(\.providerID) == ["password"])
        #expect(stored.session.tokens.refreshToken == "r")
        #expect(stored.session.tenantID == "acme")
        let written = try #require(try StoredSession(decoding: stored.encoded, of: key))
        #expect(written.session == stored.session)
    }

    @Test("The name of an item differs by server, API key, tenant and app, and is a valid file name")
    func names() throws {
        let server = try #require(URL(string: "https://auth.example.com"))
        let other = try #require(URL(string: "http://127.0.0.1:9099"))
        let keys = [
            SessionKey(app: "default", server: server, apiKey: "key", tenantID: nil),
            SessionKey(app: "other", server: server, apiKey: "key", tenantID: nil),
            SessionKey(app: "default", server: other, apiKey: "key", tenantID: nil),
            SessionKey(app: "default", server: server, apiKey: "another", tenantID: nil),
            SessionKey(app: "default", server: server, apiKey: "key", tenantID: "acme"),
        ]
        #expect(Set(keys.map(\.name)).count == keys.count)
        for key in keys { #expect(key.name.wholeMatch(of: #/session-[0-9a-f]{16}/#) != nil) }
    }
}
