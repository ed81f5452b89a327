import Testing

@testable import Email

@Suite("The texts of emails")
struct EmailTextTests {
    @Test("Each text has the placeholders of the English text, and all plural categories of its language")
    func complete() {
        #expect(TextTableCheck.problems(in: EmailText.self) == [])
    }

    @Test("No text uses another word for what the glossary names")
    func words() {
        for glossary in Glossary.all { #expect(glossary.mistakes(in: EmailText.self) == []) }
    }
}
