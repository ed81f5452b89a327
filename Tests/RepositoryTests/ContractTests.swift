import API
import HTTP
import Identity
import Pages
import Testing

@Suite("Contract of the API (openapi.yaml)")
struct ContractTests {
    struct Operation: Hashable, CustomStringConvertible {
        let method: String
        let path: String
        let id: String

        var description: String { "\(method) \(path) (\(id))" }
    }

    @Test("The contract describes exactly the existing routes")
    func routes() throws {
        let described = Self.operations(in: try Repository.text("openapi.yaml"))
        let built = Endpoint.all.map {
            Operation(method: $0.method.rawValue.lowercased(), path: $0.path, id: $0.operationID)
        }
        #expect(Set(described).subtracting(built) == [], "described but not built")
        #expect(Set(built).subtracting(described) == [], "built but not described")
        #expect(Set(built.map(\.id)).count == built.count, "operation IDs are not unique")
    }

    @Test("The contract has the version of the program, without the suffix of a version in development")
    func version() throws {
        let contract = try Repository.text("openapi.yaml")
        let version = try #require(contract.firstMatch(of: #/\n  version: (\d+\.\d+\.\d+)\n/#)?.output.1)
        #expect([String(version), version + "-dev"].contains(Release.version))
    }

    @Test("The contract names the scope that each operation requires of a service key")
    func scopes() throws {
        let parts = try Repository.text("openapi.yaml").split(separator: "      operationId: ").dropFirst()
        for part in parts {
            let id = part.prefix { $0 != "\n" }
            let endpoint = try #require(Endpoint.all.first { $0.operationID == id })
            guard let scope = endpoint.scope else { continue }
            let description = part.split(separator: "      security:")[0]
            let named = ["the scope `\(scope.rawValue)`", "the scopes `\(scope.rawValue)` and `"]
            #expect(named.contains(where: description.contains), "\(id)")
        }
    }

    @Test("The contract names the scope `trust` in each operation that changes a provider, an app or the project")
    func trust() throws {
        let parts = try Repository.text("openapi.yaml").split(separator: "      operationId: ").dropFirst()
        let resources = ["IdpConfig", "IdpConfigInTenant", "App", "ProjectConfig"]
        for part in parts {
            let id = part.prefix { $0 != "\n" }
            guard ["create", "update", "delete"].contains(where: id.hasPrefix), resources.contains(where: id.hasSuffix)
            else { continue }
            let description = part.split(separator: "      security:")[0]
            #expect(["`trust` too", "the scopes `config` and `trust`"].contains(where: description.contains), "\(id)")
        }
    }

    @Test("The contract lists exactly the existing error codes, and its operations name no others")
    func errorCodes() throws {
        let contract = try Repository.text("openapi.yaml")
        let schema = try #require(
            contract.firstMatch(of: #/\n    ErrorCode:\n(?:      .*\n)*? {6}x-extensible-enum:\n((?: {8}- \w+\n)+)/#))
        let codes = Set(ErrorCode.allCases.map(\.rawValue))
        #expect(Self.items(schema.output.1) == codes)
        for match in contract.matches(of: #/\n      x-error-codes:\n((?: {8}- \w+\n)+)/#) {
            #expect(Self.items(match.output.1).subtracting(codes) == [])
        }
    }

    @Test("The contract lists every action of the audit trail that is about an account")
    func auditActions() throws {
        let contract = try Repository.text("openapi.yaml")
        let schema = try #require(
            contract.firstMatch(
                of: #/\n    AuditEvent:\n(?:      .*\n|\n)*? {10}x-extensible-enum:\n((?: {12}- [\w.]+\n)+)/#))
        // The audit trail has no line about it.
        let kinds = AccountEvent.Kind.allCases.filter { $0 != .sessionOpened }
        let expected = Set(
            kinds.map(\.rawValue) + AuditNote.AccountAction.allCases.map(\.rawValue))
        #expect(expected.subtracting(Self.items(schema.output.1)) == [])
    }

    @Test("The contract lists every part of the account page")
    func accountParts() throws {
        let contract = try Repository.text("openapi.yaml")
        let list = try #require(
            contract.firstMatch(of: #/\n    AccountPart:\n(?:      .*\n)*? {8}enum:\n((?: {10}- \w+\n)+)/#))
        let parts = AccountPath.allCases.filter { $0 != .overview }.map(\.rawValue)
        #expect(Self.items(list.output.1) == Set(parts))
    }

    private static func items(_ list: Substring) -> Set<String> {
        Set(list.split(separator: "\n").map { String($0.drop { $0 == " " || $0 == "-" }) })
    }

    /// Reads method, path and operationId by indentation: the document keeps one key per line.
    static func operations(in yaml: String) -> [Operation] {
        var operations: [Operation] = []
        var path = ""
        var method = ""
        let pathLine = #/  (\/[^ ]*):/#
        let methodLine = #/    (get|post|put|patch|delete):/#
        let idLine = #/      operationId: (\w+)/#
        for line in yaml.split(separator: "\n") {
            if let match = line.wholeMatch(of: pathLine) {
                path = String(match.output.1)
            } else if let match = line.wholeMatch(of: methodLine) {
                method = String(match.output.1)
            } else if let match = line.wholeMatch(of: idLine) {
                operations.append(Operation(method: method, path: path, id: String(match.output.1)))
            }
        }
        return operations
    }
}
