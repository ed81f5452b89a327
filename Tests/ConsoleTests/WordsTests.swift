import Testing

@testable import Console

@Suite("Words in place of values of the API")
struct WordsTests {
    @Test(
        "Kinds of messages are words, and unknown kinds stay as they are",
        arguments: [
            ("PASSWORD_RESET", "Password reset"), ("notice.identity-linked", "Notice: identity linked"),
            ("com.example.app", "com.example.app"), ("account.created", "account.created"), ("", ""),
        ])
    func messages(value: String, words: String) {
        #expect(Words.message(value) == words)
    }

    @Test("A language that is not listed stays a choice of the account that has it")
    func languages() {
        let listed = LanguageChoices.all(with: "de")
        #expect(listed.map(\.value) == [""] + LanguageChoices.all.map(\.value))
        #expect(LanguageChoices.all(with: "tlh").last?.value == "tlh")
        #expect(LanguageChoices.all(with: "").first?.label == "Not set")
    }
}
