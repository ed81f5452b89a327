import HTTP
import IPAddresses
import Identity
import Testing

@testable import Support

@Suite("Limits on wrong codes of emails of the sign-in page")
struct EmailCodeLimitTests {
    private static let ada = "ada@example.com"

    /// A browser in the network in which Ada signed up.
    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway(
            .sekisho, limitsRates: true, trustedProxies: [try #require(IPNetwork("192.0.2.0/24"))]
        ) { policy in
            policy.allowsEmailLinks = true
            policy.emailLimit = 1000
        }
        _ = try await gateway.signUpVerified(email: ada, password: "long enough")
        return SignInPageVisit(gateway)
    }

    /// A network apart from all others.
    private static func network(_ number: Int) -> String { "198.\(number).100.1" }

    /// Enters a code in a network; `nil` for the one in which Ada signed up.
    private static func enter(
        _ code: String, on page: Exchange, of visit: SignInPageVisit, from network: String? = nil
    ) async throws -> Exchange {
        let forwarded = network.map { [("X-Forwarded-For", $0)] } ?? []
        return try await visit.submit(
            page, "enterCode", ["code": code], headers: SignInPageVisit.formHeaders + forwarded)
    }

    /// Enters wrong codes, five for each of the emails.
    private static func guess(
        emails: Int, to address: (Int) -> String = { _ in ada }, of visit: SignInPageVisit, from network: String? = nil
    ) async throws {
        for email in 0..<emails {
            let page = try await visit.requestEmail(to: address(email))
            for attempt in 1...5 {
                let wrong = try await enter("x", on: page, of: visit, from: network)
                #expect(wrong.text.contains("This code is not correct"), "\(email), \(attempt): \(wrong.status)")
            }
        }
    }

    @Test("After twenty wrong codes for an address from a network, in whatever flows, only the link works there")
    func address() async throws {
        let visit = try await Self.visit()
        try await Self.guess(emails: 4, of: visit)
        let page = try await visit.requestEmail(to: Self.ada)
        let email = try await visit.lastEmail()
        let rejected = try await Self.enter(email.code, on: page, of: visit)
        #expect(rejected.status == 429 && rejected.result == nil)
        let done = try await visit.submit(try await visit.browser.send(.get, email.link), "openLink")
        #expect(done.result != nil)
    }

    @Test("Wrong codes of a stranger do not keep the owner out in another network")
    func stranger() async throws {
        let visit = try await Self.visit()
        try await Self.guess(emails: 4, of: visit, from: Self.network(1))
        let page = try await visit.requestEmail(to: Self.ada)
        let code = try await visit.lastEmail().code
        #expect(try await Self.enter(code, on: page, of: visit, from: Self.network(1)).status == 429)
        #expect(try await Self.enter(code, on: page, of: visit, from: Self.network(2)).result != nil)
    }

    @Test("After a hundred wrong codes for any addresses, a network has to wait, and other networks go on")
    func network() async throws {
        let visit = try await Self.visit()
        try await Self.guess(emails: 20, to: { "user\($0)@example.com" }, of: visit, from: Self.network(1))
        let page = try await visit.requestEmail(to: Self.ada)
        let code = try await visit.lastEmail().code
        let rejected = try await Self.enter(code, on: page, of: visit, from: Self.network(1))
        #expect(rejected.status == 429 && rejected.result == nil)
        #expect(rejected.headers["Retry-After"] != nil)
        #expect(try await Self.enter(code, on: page, of: visit, from: Self.network(2)).result != nil)
    }

    @Test("After a hundred wrong codes for an address from all networks, only known networks of the account go on")
    func knownNetwork() async throws {
        let visit = try await Self.visit()
        for number in 1...5 { try await Self.guess(emails: 4, of: visit, from: Self.network(number)) }
        let page = try await visit.requestEmail(to: Self.ada)
        let code = try await visit.lastEmail().code
        let rejected = try await Self.enter(code, on: page, of: visit, from: Self.network(6))
        #expect(rejected.status == 429 && rejected.result == nil)
        #expect(try await Self.enter(code, on: page, of: visit).result != nil)
    }

    @Test("A right code does not count")
    func rightCode() async throws {
        let visit = try await Self.visit()
        for attempt in 1...21 {
            let page = try await visit.requestEmail(to: Self.ada)
            let done = try await Self.enter(try await visit.lastEmail().code, on: page, of: visit)
            #expect(done.result != nil, "\(attempt)")
        }
    }
}
