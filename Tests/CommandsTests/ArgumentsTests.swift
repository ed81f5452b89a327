import Gateway
import Identity
import Testing

@testable import Commands

@Suite("Arguments of a command")
struct ArgumentsTests {
    @Test("The ID of a tenant is rejected as the value of --project")
    func tenantAsProject() throws {
        let tenant = "demo/abcdefghijklmnopqrstuvwxyz01"
        #expect(throws: UsageError.self) { try Arguments(["--project", tenant], options: [.project]).project() }
        #expect(throws: UsageError.self) { try Arguments(["--project", tenant], options: [.project]).realm() }
        #expect(try Arguments(["--project", "demo"], options: [.project]).project() == ID("demo"))
    }
}
