import Testing

@testable import Identity

@Suite("Text messages")
struct SMSTextTests {
    @Test(
        "A message begins with the code, ends with the line by which devices fill it in, and fits two segments",
        arguments: Language.allCases + Language.pseudoLocales)
    func text(language: Language) {
        let host = String(repeating: "a", count: 36) + ".com"
        let text = SMSText.text("123456", language, host: host)
        #expect(text.hasPrefix("123456 "))
        #expect(text.hasSuffix("\n\n@\(host) #123456"))
        // Two segments of UCS-2 have 67 characters each (3GPP TS 23.040 §9.2.3.24.1).
        #expect(text.utf16.count <= 134)
    }
}
