import Identity
import Testing

@testable import Pages

@Suite("Tables of texts")
struct TextTableTests {
    @Test("Each text has the placeholders of the English text, and all plural categories of its language")
    func complete() {
        #expect(TextTableCheck.problems(in: PageText.self) == [])
        #expect(TextTableCheck.problems(in: EmailActionText.self) == [])
        #expect(TextTableCheck.problems(in: FlowText.self) == [])
        #expect(TextTableCheck.problems(in: SignInPageText.self) == [])
        #expect(TextTableCheck.problems(in: AccountPageText.self) == [])
        #expect(TextTableCheck.problems(in: ActivityText.self) == [])
    }
}
