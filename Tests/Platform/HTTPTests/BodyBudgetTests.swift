import Testing

@testable import HTTP

@Suite("The budget of bodies")
struct BodyBudgetTests {
    @Test(
        "accepts a body of a quarter of what is free, and nothing larger", arguments: [(0, 250), (600, 100), (997, 0)])
    func part(reserved: Int, largest: Int) {
        let budget = BodyBudget(bytes: 1000)
        while budget.reserved < reserved { #expect(budget.reserve(1)) }
        #expect(!budget.reserve(largest + 1))
        #expect(budget.rejections == 1)
        #expect(budget.reserve(largest))
    }

    @Test("reuses released bytes, and never rejects a request without a body")
    func release() {
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
