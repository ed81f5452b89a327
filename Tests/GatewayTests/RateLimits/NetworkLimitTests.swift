import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

/// The gateway of these tests (``LimitedGateway``) allows one client network three wrong passwords for an email
/// address, and three sign-ups.
@Suite("Limits for networks")
struct NetworkLimitTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let peers: [String]
        /// The number of requests that are accepted if the limit of one IPv4 address or IPv6 /64 is three. The limit
        /// of a /24 or /56 is four times as high (12), that of a /48 sixteen times (48).
        let acceptedCount: Int
    }

    private static let rows = [
        Row(testDescription: "one address", peers: Array(repeating: "192.0.2.1", count: 20), acceptedCount: 3),
        Row(testDescription: "a /24", peers: (1...20).map { "192.0.2.\($0)" }, acceptedCount: 12),
        Row(testDescription: "two /24", peers: (1...40).map { "192.0.\($0 % 2).\($0)" }, acceptedCount: 24),
        Row(testDescription: "many /24", peers: (1...40).map { "192.0.\($0).1" }, acceptedCount: 40),
        Row(testDescription: "a /64", peers: (1...20).map { "2001:db8:1:1::\($0)" }, acceptedCount: 3),
        Row(testDescription: "a /56", peers: (10...60).map { "2001:db8:1:00\($0)::1" }, acceptedCount: 12),
        Row(testDescription: "a /48", peers: (10...90).map { "2001:db8:1:\($0)00::1" }, acceptedCount: 48),
        Row(
            testDescription: "two /48",
            peers: (0..<120).map { "2001:db8:\($0 % 2):\(String($0, radix: 16))00::1" }, acceptedCount: 96),
        Row(
            testDescription: "a /24 and a /56",
            peers: (10...59).flatMap { ["192.0.2.\($0)", "2001:db8:1:00\($0)::1"] },
            acceptedCount: 24),
    ]

    @Test(
        "Anonymous sign-ups are limited at each prefix length of the client's network, each with its own factor",
        arguments: rows)
    func signUps(row: Row) async throws {
        let limited = try await LimitedGateway()
        var outcomes: [String] = []
        for peer in row.peers {
            outcomes.append(try await limited.gateway.post("/v1/accounts:signUp", from: peer).outcome)
        }
        #expect(outcomes.count { $0 == "200" } == row.acceptedCount)
        #expect(outcomes.count { $0 == LimitedGateway.tooManyAttempts } == row.peers.count - row.acceptedCount)
        #expect(try await limited.gateway.post("/v1/accounts:signUp", from: "198.51.100.9").outcome == "200")
    }

    @Test(
        "Wrong passwords for one email address are limited at each prefix length of the client's network",
        arguments: rows)
    func passwords(row: Row) async throws {
        let limited = try await LimitedGateway()
        var outcomes: [String] = []
        for peer in row.peers { outcomes.append(try await limited.tryWrongPassword(from: peer).outcome) }
        #expect(outcomes.count { $0 == "400 INVALID_LOGIN_CREDENTIALS" } == row.acceptedCount)
    }

    @Test("A request that is rejected at one prefix length is counted at none")
    func allPrefixLengths() async throws {
        let limits = try #require(try await LimitedGateway().gateway.limits)
        let limiter = limits.limiter
        func network(_ address: String) -> ClientNetwork {
            ClientNetwork(prefixes: [address, "192.0.2.0/24"], knownNetworkPrefix: nil)
        }
        func admitsSignUp(from address: String) -> Bool {
            do {
                try limiter.count(.signUps(from: network(address)), 1, Policy.signUpWindow, ID("demo"))
                return true
            } catch {
                return false
            }
        }
        #expect(admitsSignUp(from: "192.0.2.1"))
        for _ in 1...10 {
            #expect(!admitsSignUp(from: "192.0.2.1"), "rejected for the address, so the /24 is not counted")
        }
        // The limit of the /24 is four times the limit of an address, which is one. One sign-up is counted already.
        #expect(
            (2...9).map { admitsSignUp(from: "192.0.2.\($0)") } == [true, true, true]
                + Array(repeating: false, count: 5))
        let size = limits.windowCount
        #expect(!(10...200).contains { admitsSignUp(from: "192.0.2.\($0)") })
        #expect(limits.windowCount == size, "rejected for the /24, so the address is not stored")
        limiter.subtract(.signUps(from: network("192.0.2.2")), Policy.signUpWindow, ID("demo"))
        #expect(!admitsSignUp(from: "192.0.2.1"))
        #expect(admitsSignUp(from: "192.0.2.2"), "subtracted at both prefix lengths")
    }

    @Test("The limit of nonces applies to each IP address, and ends with its window")
    func nonces() async throws {
        let limited = try await LimitedGateway()
        let network = ClientNetwork(prefixes: ["192.0.2.1", "192.0.2.0/24"], knownNetworkPrefix: nil)
        let limiter = try #require(limited.gateway.limits).limiter
        // Uses up all nonces of the address but one.
        for _ in 1..<Policy.nonceLimit {
            try limiter.count(.nonces(from: network), Policy.nonceLimit, Policy.nonceWindow, ID("demo"))
        }
        func issueNonce(from peer: String) async throws -> String {
            try await limited.gateway.post("/v1/accounts:issueNonce", from: peer).outcome
        }
        #expect(try await issueNonce(from: "192.0.2.1") == "200")
        #expect(try await issueNonce(from: "192.0.2.1") == LimitedGateway.tooManyAttempts)
        #expect(try await issueNonce(from: "192.0.2.2") == "200")
        limited.gateway.clock.advance(by: Policy.nonceWindow)
        #expect(try await issueNonce(from: "192.0.2.1") == "200")
    }
}
