/// The text of a message. It contains no user input.
enum SMSText {
    /// The last line lets browsers and iOS fill in the code at this host only.
    static func text(_ code: String, _ language: Language, host: String) -> String {
        "\(sentence(code, language))\n\n@\(host) #\(code)"
    }

    private static func sentence(_ code: String, _ language: Language) -> String {
        switch language {
        case .english, .accentedEnglish, .mirroredEnglish:
            "\(code) is your verification code. Do not share it with anyone."
        case .japanese: "\(code) が認証コードです。誰にも教えないでください。"
        case .german: "\(code) ist Ihr Bestätigungscode. Geben Sie ihn nicht weiter."
        case .french: "\(code) est votre code de vérification. Ne le communiquez à personne."
        case .spanish: "\(code) es su código de verificación. No lo comparta con nadie."
        case .portuguese: "\(code) é seu código de verificação. Não o compartilhe com ninguém."
        case .italian: "\(code) è il tuo codice di verifica. Non condividerlo con nessuno."
        case .korean: "\(code) 인증 코드입니다. 다른 사람에게 알려 주지 마세요."
        case .simplifiedChinese: "\(code) 是您的验证码。请勿告诉他人。"
        case .traditionalChinese: "\(code) 是您的驗證碼。請勿告訴他人。"
        case .arabic: "\(code) هو رمز التحقق الخاص بك. لا تشاركه مع أحد."
        case .indonesian: "\(code) adalah kode verifikasi Anda. Jangan bagikan kepada siapa pun."
        }
    }
}
