import Identity
import Testing

@testable import Pages

@Suite("The glossary of pages")
struct GlossaryTests {
    @Test("No text uses another word for what the glossary names", arguments: Glossary.all.map(\.language))
    func words(language: Language) throws {
        let glossary = try #require(Glossary.all.first { $0.language == language })
        #expect(glossary.mistakes(in: PageText.self) == [])
        #expect(glossary.mistakes(in: EmailActionText.self) == [])
        #expect(glossary.mistakes(in: FlowText.self) == [])
        #expect(glossary.mistakes(in: SignInPageText.self) == [])
        #expect(glossary.mistakes(in: AccountPageText.self) == [])
        #expect(glossary.mistakes(in: ActivityText.self) == [])
    }

    @Test("Each language has a glossary, and its terms are those of the pages")
    func terms() {
        #expect(Glossary.all.map(\.language) == Language.allCases)
        for glossary in Glossary.all {
            let keys: [any TextKey] =
                Array(PageText.allCases) + Array(EmailActionText.allCases) + Array(FlowText.allCases)
            let texts = keys.map { "\($0.template(in: glossary.language))".lowercased() }
            let terms = [
                glossary.account, glossary.password, glossary.passkey, glossary.device, glossary.link,
                glossary.emailAddress, glossary.signOut,
            ]
            for term in terms {
                #expect(texts.contains { $0.contains(term.lowercased()) }, "\(glossary.language): \(term)")
            }
        }
    }
}
