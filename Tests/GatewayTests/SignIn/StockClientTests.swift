import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Requests of unmodified Firebase clients")
struct StockClientTests {
    struct UserRow: CustomTestStringConvertible {
        /// The value of the parameter `user`, which is sent unchanged.
        let user: String
        let displayName: String?

        var testDescription: String { user }
    }

    @Test(
        "The user parameter can be JSON without percent-encoding, and an invalid value does not prevent a sign-in",
        arguments: [
            UserRow(user: #"{"name":{"firstName":"A&B","lastName":"100%"}}"#, displayName: "A&B 100%"),
            UserRow(user: #"{"name":{"firstName":"C++","lastName":"=x&nonce=y"}}"#, displayName: "C++ =x&nonce=y"),
            UserRow(user: #"{"name":{"firstName":"}\"{","lastName":"\\"}}"#, displayName: #"}"{ \"#),
            UserRow(user: #"{"name":{"firstName":"Ada"}}&x=y"#, displayName: "Ada"),
            UserRow(user: "%7B%22name%22%3A%7B%22firstName%22%3A%22A%26B+C%22%7D%7D", displayName: "A&B C"),
            UserRow(user: #"{"name":"Ada"}"#, displayName: nil), UserRow(user: "{", displayName: nil),
            UserRow(user: "nobody", displayName: nil), UserRow(user: "", displayName: nil),
        ])
    func name(row: UserRow) async throws {
        let gateway = try await TestGateway()
        let credential = try gateway.appleCredential(.alan)
        let answer = try await gateway.signInWithIdp([
            "requestUri": "http://localhost", "postBody": .string("\(credential.postBody)&user=\(row.user)"),
        ])
        #expect(answer.outcome == "200")
        #expect(answer.json["displayName"]?.string == row.displayName)
    }

    @Test("A pending token takes precedence over a post body, whatever the body contains")
    func pendingToken() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signIn(gateway.appleCredential())
        let anonymous = try await gateway.signUpAnonymously()
        let conflict = try await gateway.link(gateway.appleCredential(), to: anonymous.idToken)
        let retried = try await gateway.signInWithIdp([
            "requestUri": "http://localhost", "postBody": "providerId=apple.com&id_token=%ZZ",
            "pendingToken": .string(try #require(conflict.pendingToken)),
        ])
        #expect(retried.json["localId"] == ada.json["localId"], "\(retried.text)")
    }

    @Test("Google's token with the gateway's nonce is accepted again without the nonce, even after the nonce expires")
    func googleAgain() async throws {
        let gateway = try await TestGateway()
        let issued = try await gateway.post("/v1/accounts:issueNonce")
        var credential = try gateway.googleCredential(nonce: try #require(issued.json["nonce"]?.string))
        let first = try await gateway.signIn(credential)
        credential.rawNonce = nil
        // The gateway's nonce is valid for 600 seconds.
        gateway.clock.advance(by: .seconds(700))
        for _ in 0..<2 { #expect(try await gateway.signIn(credential).json["localId"] == first.json["localId"]) }
    }

    @Test("Apple's token does not sign in again without its nonce")
    func appleAgain() async throws {
        let gateway = try await TestGateway()
        let issued = try await gateway.post("/v1/accounts:issueNonce")
        var credential = try gateway.appleCredential(nonce: try #require(issued.json["nonce"]?.string))
        #expect(try await gateway.signIn(credential).outcome == "200")
        credential.rawNonce = nil
        #expect(try await gateway.signIn(credential).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }
}
