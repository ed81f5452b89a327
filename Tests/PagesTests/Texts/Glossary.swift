import Identity

@testable import Pages

/// The words for ten things, the same on pages and in emails, and words that must not be used instead. The folder of
/// the emails' tests has a symbolic link to this file.
struct Glossary: Sendable {
    let language: Language
    /// How the texts address the reader.
    let register: String
    let account, signIn, signOut, password, passkey, secondStep, provider, device, link, emailAddress: String
    /// In lower case.
    let avoided: [String]

    static let all = [
        Glossary(
            language: .english, register: "plain", account: "account", signIn: "sign in", signOut: "signed out",
            password: "password", passkey: "passkey", secondStep: "second step", provider: "provider",
            device: "device", link: "link", emailAddress: "email address",
            avoided: ["log in", "login", "log out", "e-mail", "passcode", "2fa", "click"]),
        Glossary(
            language: .japanese, register: "です・ます", account: "アカウント", signIn: "ログイン", signOut: "ログアウト",
            password: "パスワード", passkey: "パスキー", secondStep: "追加の確認", provider: "プロバイダー", device: "端末",
            link: "リンク", emailAddress: "メールアドレス",
            avoided: ["サインアウト", "サインインし", "サインインで", "パスキーでサインイン", "デバイス", "暗証番号", "Eメール", "二段階", "クリック"]),
        Glossary(
            language: .german, register: "Sie", account: "Konto", signIn: "anmelden", signOut: "abgemeldet",
            password: "Passwort", passkey: "Passkey", secondStep: "zweiter Schritt", provider: "Anbieter",
            device: "Gerät", link: "Link", emailAddress: "E-Mail-Adresse",
            avoided: ["einlogg", "kennwort", "email", "ausgeloggt", "klick"]),
        Glossary(
            language: .french, register: "vous", account: "compte", signIn: "connecter", signOut: "déconnecté",
            password: "mot de passe", passkey: "clé d’accès", secondStep: "deuxième étape", provider: "fournisseur",
            device: "appareil", link: "lien", emailAddress: "adresse e-mail",
            avoided: ["email", "courriel", "s’identifier", "seconde étape", "cliqu", "l’app ", "'"]
                + spacesBeforePunctuation),
        Glossary(
            language: .spanish, register: "usted", account: "cuenta", signIn: "iniciar sesión",
            signOut: "cerrado su sesión", password: "contraseña", passkey: "llave de acceso",
            secondStep: "segundo paso", provider: "proveedor", device: "dispositivo", link: "enlace",
            emailAddress: "dirección de correo",
            avoided: ["clave de acceso", "email", "e-mail", "ingresar", "vínculo", "clic ", " tu ", " tus ", " app "]),
        Glossary(
            language: .portuguese, register: "você", account: "conta", signIn: "fazer login", signOut: "desconectad",
            password: "senha", passkey: "chave de acesso", secondStep: "segunda etapa", provider: "provedor",
            device: "dispositivo", link: "link", emailAddress: "endereço de e-mail",
            avoided: ["email", "logar", "palavra-passe", "aplicativo", "clique", "entrar", "entre de"]),
        Glossary(
            language: .italian, register: "tu", account: "account", signIn: "accedere", signOut: "disconness",
            password: "password", passkey: "passkey", secondStep: "secondo passaggio", provider: "provider",
            device: "dispositivo", link: "link", emailAddress: "indirizzo email",
            avoided: ["e-mail", "login", "parola d’ordine", "chiave d’accesso", "clicca", "'", "«"]),
        Glossary(
            language: .korean, register: "하세요", account: "계정", signIn: "로그인", signOut: "로그아웃", password: "비밀번호",
            passkey: "패스키", secondStep: "두 번째 단계", provider: "제공업체", device: "기기", link: "링크",
            emailAddress: "이메일 주소", avoided: ["암호", "장치", "메일 주소로그", "클릭", "사인인"]),
        Glossary(
            language: .simplifiedChinese, register: "您", account: "账号", signIn: "登录", signOut: "退出登录",
            password: "密码", passkey: "通行密钥", secondStep: "第二步验证", provider: "提供商", device: "设备", link: "链接",
            emailAddress: "邮箱地址", avoided: ["帐号", "帐户", "登陆", "登出", "你", "电子邮件地址", "密匙", "点击"]),
        Glossary(
            language: .traditionalChinese, register: "您", account: "帳號", signIn: "登入", signOut: "登出",
            password: "密碼", passkey: "通行密鑰", secondStep: "第二步驟驗證", provider: "提供者", device: "裝置",
            link: "連結", emailAddress: "電子郵件地址", avoided: ["帳戶", "登錄", "你", "密碼金鑰", "設備", "鏈接", "郵箱", "點擊"]),
        Glossary(
            language: .arabic, register: "masculine imperative", account: "حساب", signIn: "تسجيل الدخول",
            signOut: "خروجك", password: "كلمة المرور", passkey: "مفاتيح المرور", secondStep: "خطوة ثانية",
            provider: "موفّر", device: "الأجهزة", link: "رابط", emailAddress: "عنوان البريد الإلكتروني",
            avoided: ["كلمة السر", "الإيميل", "انقر", "وصلة"]),
        Glossary(
            language: .indonesian, register: "Anda", account: "akun", signIn: "masuk", signOut: "keluar",
            password: "kata sandi", passkey: "kunci sandi", secondStep: "langkah kedua", provider: "penyedia",
            device: "perangkat", link: "tautan", emailAddress: "alamat email",
            avoided: ["password", "passkey", "login", "e-mail", "klik", "kamu", "peramban"]),
    ]

    /// Ordinary spaces, where a line could begin with the mark. French has U+00A0 before a colon and inside guillemets,
    /// and U+202F before the other marks.
    private static let spacesBeforePunctuation = [" :", " ;", " ?", " !", "« ", " »"]

    /// Returns the words of `avoided` that the texts contain, each with the text.
    ///
    /// - Parameter exceptions: texts whose words another company decides.
    func mistakes<Key: TextKey>(in _: Key.Type, except exceptions: [Key] = []) -> [String] {
        Key.allCases.filter { !exceptions.contains($0) }.flatMap { key in
            let text = "\(key.template(in: language))".lowercased().replacing("{email}", with: "")
            return avoided.filter { text.contains($0) }.map { "\(language), \(key): \($0)" }
        }
    }
}
