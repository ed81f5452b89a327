import API
import HTTP
import IPAddresses
import Testing

@testable import Gateway

@Suite("Limits on connections")
struct ConnectionExemptionTests {
    @Test(
        "The limit of connections per address does not apply to loopback addresses and trusted proxies",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("10.1.2.3", true), ("fd00::7", true),
            ("11.0.0.1", false), ("192.0.2.1", false), ("fe80::1", false), ("1270:1::1", false), ("nonsense", false),
        ])
    func exemption(address: String, isExempt: Bool) throws {
        let proxies = try ["10.0.0.0/8", "fd00::/8"].map { try #require(IPNetwork($0)) }
        let limits = ServerConfig(connections: 100, connectionsPerAddress: 5, bodyMemoryMiB: 32)
            .limits(exempting: proxies)
        #expect(limits.isExempt(address) == isExempt)
        #expect(limits.connections == 100)
        #expect(limits.connectionsPerAddress == 5)
        #expect(limits.bodyBudgetBytes == 32 * 1_048_576)
    }
}
