import Testing

@testable import HTTP

@Suite("Budget of bodies")
struct BodyBudgetTests {
    @Test(
        "A body gets at most a quarter of the free bytes", arguments: [(0, 250), (600, 100), (997, 0)])
    func part(reserved: Int, largest: Int) {
        let budget = BodyBudget(bytes: 1000)
        while budget.reserved < reserved { #expect(budget.reserve(1)) }
        #expect(!budget.reserve(largest + 1))
        #expect(budget.rejections == 1)
        #expect(budget.reserve(largest))
    }

    @Test("Released bytes can be reserved again, and a request without a body is not rejected")
    func release() {
        // A quarter of 4 free bytes is 1; a quarter of 3 is rounded down to 0.
        let budget = BodyBudget(bytes: 4)
        #expect(budget.reserve(1))
        #expect(!budget.reserve(1))
        #expect(budget.reserve(0))
        budget.release(0)
        budget.release(1)
        #expect(budget.reserved == 0)
        #expect(budget.reserve(1))
    }
}
