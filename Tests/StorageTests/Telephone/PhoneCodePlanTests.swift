import Identity
import Postgres
import Support
import Testing

@testable import Storage

@Suite("The query plans of codes to telephone numbers")
struct PhoneCodePlanTests {
    @Test("A confirmation locks the counters in the order in which they are counted when a code is sent")
    func lockOrder() async throws {
        let database = try TestDatabase()
        let now = Instant(seconds: 0)
        let plan = try await database.plan(
            of: .confirm(Array(repeating: 0, count: 32), unexpiredAt: now, at: now, in: ID("demo")))
        #expect(plan.contains(#/LockRows[^\n]*\n *->  Sort[^\n]*\n *Sort Key: u(_1)?\.calling_code/#), "\(plan)")
    }
}
