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
        #expect(glossary.mistakes(in: SignInPageText.self, except: [.signInWithApple, .signInWithGoogle]) == [])
        #expect(glossary.mistakes(in: AccountPageText.self) == [])
        #expect(glossary.mistakes(in: ActivityText.self) == [])
    }

    @Test("The titles of the buttons are the ones that Apple and Google publish")
    func providerTitles() {
        let titles: [Language: (apple: String, google: String)] = [
            .english: ("Sign in with Apple", "Sign in with Google"),
            .japanese: ("Appleでサインイン", "Google でログイン"),
            .german: ("Mit Apple anmelden", "Über Google anmelden"),
            .french: ("Se connecter avec Apple", "Se connecter avec Google"),
            .spanish: ("Iniciar sesión con Apple", "Iniciar sesión con Google"),
            .portuguese: ("Iniciar sessão com a Apple", "Fazer login com o Google"),
            .italian: ("Accedi con Apple", "Accedi con Google"),
            .korean: ("Apple로 로그인", "Google 계정으로 로그인"),
            .simplifiedChinese: ("通过 Apple 登录", "使用 Google 账号登录"),
            .traditionalChinese: ("使用 Apple 登入", "使用 Google 帳戶登入"),
            .arabic: ("تسجيل الدخول باستخدام Apple", "تسجيل الدخول باستخدام حساب Google"),
            .indonesian: ("Masuk dengan Apple", "Login dengan Google"),
        ]
        for language in Language.allCases {
            #expect("\(SignInPageText.signInWithApple.template(in: language))" == titles[language]?.apple)
            #expect("\(SignInPageText.signInWithGoogle.template(in: language))" == titles[language]?.google)
        }
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
