import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Google restricted to hosted domains", .serialized)
struct HostedDomainTests {
    static let universityOnly = #"{"relation": "organisation", "hostedDomains": ["University.example"]}"#
    static let refusal = "400 INVALID_IDP_RESPONSE : The ID token must have the hosted domain 'University.example'; "

    /// Emmy's account has the hosted domain `university.example`.
    @Test("Google accounts of the listed hosted domains are accepted, whatever the case of letters")
    func listed() async throws {
        let gateway = try await TestGateway().mergingProviderSettings("google.com", Self.universityOnly)
        #expect(try await gateway.signIn(gateway.googleCredential(.emmy)).outcome == "200")
    }

    @Test(
        "Google accounts without a listed hosted domain are rejected at sign-in, re-authentication and linking",
        arguments: [nil, "evil.example", "university.example.evil.example", ""])
    func otherDomains(domain: String?) async throws {
        let gateway = try await TestGateway().mergingProviderSettings("google.com", Self.universityOnly)
        let person = SimulatedPerson.mary.with { $0.hostedDomain = domain }
        let anonymous = try await gateway.signUpAnonymously()
        for exchange in [
            try await gateway.signIn(gateway.googleCredential(person)),
            try await gateway.signIn(gateway.googleCredential(person), ["autoCreate": false]),
            try await gateway.link(gateway.googleCredential(person), to: anonymous.idToken),
        ] {
            #expect(exchange.outcome.hasPrefix(Self.refusal))
        }
    }

    @Test("A Google account that signed in before the domains were listed is rejected")
    func earlier() async throws {
        let before = try await TestGateway()
        #expect(try await before.signIn(before.googleCredential()).outcome == "200")
        let after = try await before.mergingProviderSettings("google.com", Self.universityOnly)
        #expect(try await after.signIn(after.googleCredential()).outcome.hasPrefix(Self.refusal))
    }

    @Test("A pending token that is older than the list of hosted domains is rejected")
    func pendingToken() async throws {
        let before = try await TestGateway()
        _ = try await before.signIn(before.googleCredential())
        let anonymous = try await before.signUpAnonymously()
        let pending = try #require(try await before.link(before.googleCredential(), to: anonymous.idToken).pendingToken)
        let after = try await before.mergingProviderSettings("google.com", Self.universityOnly)
        #expect(
            try await after.signInWithIdp(["pendingToken": .string(pending)]).outcome.hasPrefix(Self.refusal))
    }
}
