import Identity
import Testing

@Suite("IDs of accounts")
struct AccountIDTests {
    @Test(
        "An ID has 1 to 128 UTF-16 code units without NUL",
        arguments: [
            ("", false), ("a", true), ("a/b \n", true), ("a\0b", false), (String(repeating: "é", count: 128), true),
            (String(repeating: "a", count: 129), false), (String(repeating: "🥝", count: 64), true),
            (String(repeating: "🥝", count: 65), false),
        ])
    func validity(text: String, isValid: Bool) {
        #expect((ID<Account>(chosen: text) != nil) == isValid)
    }
}
