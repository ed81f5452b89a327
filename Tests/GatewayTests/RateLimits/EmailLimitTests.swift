import HTTP
import Identity
import Testing

@testable import Support

@Suite("Email limits")
struct EmailLimitTests {
    private static let tooMany = LimitedGateway.tooManyAttempts
    private static let ownerPeer = "198.51.100.9"

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// Purpose and IP address of each request of other people.
        let strangers: [(purpose: String, peer: String)]
        /// The number of these requests that are accepted: two for each network (an IPv4 /24 or an IPv6 /48), four for
        /// all networks together.
        let acceptedCount: Int
        /// The purpose of the owner's later request from another network.
        let ownerPurpose: String
        /// The outcome of the owner's request.
        let ownerOutcome: String
    }

    @Test(
        "One network can request two emails of one purpose for an address, and all networks together four",
        arguments: [
            Row(
                testDescription: "one IP address",
                strangers: Array(repeating: ("PASSWORD_RESET", "192.0.2.1"), count: 5), acceptedCount: 2,
                ownerPurpose: "PASSWORD_RESET", ownerOutcome: "200"),
            Row(
                testDescription: "one /24", strangers: (1...9).map { ("EMAIL_SIGNIN", "192.0.2.\($0)") },
                acceptedCount: 2,
                ownerPurpose: "EMAIL_SIGNIN", ownerOutcome: "200"),
            Row(
                testDescription: "one /48", strangers: (1...9).map { ("EMAIL_SIGNIN", "2001:db8:1:\($0)00::1") },
                acceptedCount: 2, ownerPurpose: "EMAIL_SIGNIN", ownerOutcome: "200"),
            Row(
                testDescription: "many networks, the same purpose",
                strangers: (1...9).map { ("EMAIL_SIGNIN", "192.0.\($0).1") }, acceptedCount: 4,
                ownerPurpose: "EMAIL_SIGNIN",
                ownerOutcome: tooMany),
            Row(
                testDescription: "many networks, another purpose",
                strangers: (1...9).map { ("EMAIL_SIGNIN", "192.0.\($0).1") }, acceptedCount: 4,
                ownerPurpose: "PASSWORD_RESET",
                ownerOutcome: "200"),
        ])
    func strangers(row: Row) async throws {
        let limited = try await LimitedGateway { $0.emailLimit = 2 }
        var outcomes: [String] = []
        for (purpose, peer) in row.strangers {
            outcomes.append(try await Self.sendOobCode(limited.gateway, purpose, from: peer))
        }
        #expect(outcomes.count { $0 == "200" } == row.acceptedCount)
        #expect(try await Self.sendOobCode(limited.gateway, row.ownerPurpose, from: Self.ownerPeer) == row.ownerOutcome)
    }

    /// One network can request one email for an address. All tenants share this limit.
    @Test("In each window, every tenant can send one reset email to an address, even above the shared limit")
    func oneReset() async throws {
        let gateway = try await TestGateway(limitsRates: true) { $0.emailLimit = 1 }
        let fixture = try await TenantFixture(gateway)
        let tenants = [try await fixture.makeTenant(), try await fixture.makeTenant()]
        func requestReset(in tenant: String) async throws -> String {
            try await fixture.callAsClient(
                "sendOobCode", in: tenant, ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
            ).outcome
        }
        for _ in 1...2 {
            for tenant in tenants {
                #expect(try await requestReset(in: tenant) == "200")
                #expect(try await requestReset(in: tenant) == Self.tooMany)
            }
            gateway.clock.advance(by: Policy.emailWindow)
        }
    }

    @Test("Each network has a limit on emails of one purpose, whatever their recipients")
    func networkLimit() async throws {
        let limited = try await LimitedGateway { $0.emailLimit = 1 }
        var outcomes: [String] = []
        for number in 1...12 {
            outcomes.append(
                try await Self.sendOobCode(
                    limited.gateway, "PASSWORD_RESET", to: "p\(number)@example.com", from: "192.0.2.1"))
        }
        // The limit of a network is ten times the limit of one address.
        #expect(outcomes == Array(repeating: "200", count: 10) + Array(repeating: Self.tooMany, count: 2))
    }

    private static func sendOobCode(
        _ gateway: TestGateway, _ purpose: String, to email: String = "ada@example.com", from peer: String
    ) async throws -> String {
        try await gateway.post(
            "/v1/accounts:sendOobCode", ["requestType": .string(purpose), "email": .string(email)], from: peer
        ).outcome
    }
}
