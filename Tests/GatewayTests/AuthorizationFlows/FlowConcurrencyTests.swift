import HTTP
import Simulators
import Testing

@testable import Support

@Suite("Concurrent requests with one provider response", .serialized)
struct FlowConcurrencyTests {
    @Test(
        "If nine browsers send one provider response to three replicas at once, only one gets a result",
        arguments: ["apple.com", "google.com", "oidc.corp"])
    func callbacks(provider: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let replicas = [gateway, try gateway.replica(), try gateway.replica()]
        for _ in 0..<4 {
            let flow = try await gateway.startFlow(provider)
            let url = try await TestBrowser(gateway).responseURL(.mary, at: flow.authURI)
            let before = gateway.tokenRequestCount
            let pages = try await concurrently(9) { try await TestBrowser(replicas[$0 % 3]).send(.get, url) }
            #expect(pages.count { $0.status == 303 } == 1)
            #expect(pages.count { $0.heading == "This sign-in is already finished" } == 8)
            #expect(gateway.tokenRequestCount == before + 1)
            let location = try #require(pages.first { $0.status == 303 }?.location)
            #expect(try await flow.signIn(at: location).outcome == "200")
        }
    }

    @Test(
        "One replica starts a sign-in, one accepts the provider's response, and another the grant in the return URL",
        arguments: ["apple.com", "google.com"])
    func otherReplicas(provider: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow(provider)
        let page = try await TestBrowser(gateway.replica()).signInAtProvider(.mary, opening: flow.authURI)
        let location = try #require(page.location, "\(page.text)")
        let signedIn = try await gateway.replica().signIn(at: location, sessionID: flow.sessionID)
        #expect(signedIn.outcome == "200")
        #expect(try await flow.signIn(at: location).wireCode == "INVALID_IDP_RESPONSE")
    }
}
