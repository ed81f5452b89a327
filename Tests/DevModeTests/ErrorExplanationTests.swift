import Identity
import Testing

@testable import DevMode

@Suite("Explanations of error codes")
struct ErrorExplanationTests {
    @Test("Every error code has an explanation", arguments: ErrorCode.allCases)
    func explanation(code: ErrorCode) {
        #expect(code.explanation.hasSuffix("."))
    }
}
