import Testing

@testable import API

@Suite("Members of Firebase's configuration in the contract (openapi.yaml)")
struct ConfigurationContractTests {
    @Test("The contract lists exactly the members that the gateway ignores")
    func ignoredMembers() throws {
        let contract = try Repository.text("openapi.yaml")
        let paragraph = try #require(contract.split(separator: "\n\n").first { $0.contains("    Ignored members, ") })
        let list = paragraph.split(separator: "\n  contact:")[0]
        let listed = list.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
        let tables: [[ConfigurationMember]] = [.ofProject, .ofTenant, .ofDefaultProvider, .ofOpenIDProvider]
        let ignored = tables.flatMap { $0 }
            .filter { if case .ignored = $0.treatment { true } else { false } }.map(\.path)
        for path in ignored {
            #expect(listed.contains { path == $0 || path.hasSuffix(".\($0)") }, "\(path) is not listed")
        }
        for name in listed {
            #expect(ignored.contains { $0 == name || $0.hasSuffix(".\(name)") }, "\(name) is not ignored")
        }
    }

    @Test("No member has two entries")
    func unique() {
        let tables: [[ConfigurationMember]] = [.ofProject, .ofTenant, .ofDefaultProvider, .ofOpenIDProvider]
        for table in tables { #expect(Set(table.map(\.path)).count == table.count) }
    }
}
