import Testing

@testable import HTTP

@Suite("Prefixes of an address")
struct AddressPrefixTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String { "\(first) and \(second) share \(shared)" }
        let first: String
        let second: String
        /// Levels, narrowest first.
        let shared: [Bool]

        init(_ first: String, _ second: String, _ shared: [Bool]) {
            self.first = first
            self.second = second
            self.shared = shared
        }
    }

    @Test(
        "are shared by neighbours",
        arguments: [
            Row("192.0.2.1", "192.0.2.1", [true, true]),
            Row("192.0.2.1", "192.0.2.254", [false, true]),
            Row("192.0.2.1", "192.0.3.1", [false, false]),
            Row("192.0.2.1", "::ffff:192.0.2.1", [true, true]),
            Row("::1", "::2", [true, true, true]),
            Row("2001:db8:1:2:3::1", "2001:db8:1:2:ffff::", [true, true, true]),
            Row("2001:db8:1:2::1", "2001:db8:1:3::1", [false, true, true]),
            Row("2001:db8:1:80::1", "2001:db8:1::1", [false, true, true]),
            Row("2001:db8:1:200::1", "2001:db8:1:100::1", [false, false, true]),
            Row("2001:db8:1:8000::1", "2001:db8:1::1", [false, false, true]),
            Row("2001:db8:1::1", "2001:db8:2::1", [false, false, false]),
        ])
    func levels(row: Row) throws {
        let prefixes = try [row.first, row.second].map { try SocketAddress(numeric: $0, port: 1).prefixes }
        #expect(zip(prefixes[0], prefixes[1]).map { $0 == $1 } == row.shared)
        #expect(prefixes.allSatisfy { $0.count == row.shared.count })
    }

    @Test("of different lengths are different, whatever their bits")
    func lengths() {
        #expect(Set([0, 48, 56, 64, 120, 128].map { AddressPrefix(0, 0, bits: $0) }).count == 6)
    }
}
