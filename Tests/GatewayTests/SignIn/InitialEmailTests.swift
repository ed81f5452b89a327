import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("The first address of an account")
struct InitialEmailTests {
    @Test("The first address is removed when the account goes to the user who proves ownership of its later address")
    func reclaimed() async throws {
        let gateway = try await TestGateway()
        let attacker = try await gateway.signUp(email: "eve@example.com")
        let changed = try await gateway.update(attacker.idToken, ["email": "ada.lovelace@example.com"])
        let before = try await gateway.accountSeenByUser(try #require(changed.json["idToken"]?.string))
        #expect(before["initialEmail"] == "eve@example.com")
        let ada = try await gateway.signIn(gateway.appleCredential())
        #expect(ada.json["localId"]?.string == attacker.localId, "\(ada.text)")
        #expect(try await gateway.accountSeenByUser(try #require(ada.json["idToken"]?.string))["initialEmail"] == nil)
    }
}
