import Identity
import Testing

private let address = EmailAddress("ada@example.com")

@Suite("The stored values of an identity")
struct LinkedIdentityTests {
    private static let first = VerifiedIdentity(
        provider: .apple, subject: "s", audience: "app", email: address, emailTrust: .authoritative,
        profile: UserProfile(name: PersonName(given: "Ada", family: "Lovelace")), realUserStatus: 2)

    @Test("The name and realUserStatus that the provider sent first are kept, and the audience is replaced")
    func name() {
        let before = LinkedIdentity(Self.first)
        let later = VerifiedIdentity(
            provider: .apple, subject: "s", audience: "web", email: address, emailTrust: .authoritative,
            profile: UserProfile(name: PersonName(given: "Eve", family: nil)))
        let after = LinkedIdentity(later, before: before)
        #expect(after.profile.name?.full == "Ada Lovelace")
        #expect(after.profile.displayName == "Ada Lovelace")
        #expect(after.realUserStatus == 2)
        #expect(after.audience == "web")
    }

    @Test("A name that arrives later is stored, and a missing address does not remove the stored one")
    func late() {
        let nameless = LinkedIdentity(
            VerifiedIdentity(
                provider: .apple, subject: "s", audience: "app", email: address, emailTrust: .authoritative))
        let named = VerifiedIdentity(
            provider: .apple, subject: "s", audience: "app",
            profile: UserProfile(name: PersonName(given: "Ada", family: nil)))
        let after = LinkedIdentity(named, before: nameless)
        #expect(after.profile.displayName == "Ada")
        #expect(after.email == address)
        #expect(after.emailTrust == .authoritative)
    }

    @Test(
        "A name that is entirely in Han, Kana or Hangul begins with the family name",
        arguments: [
            ("Ada", "Lovelace", "Ada Lovelace"), ("太郎", "山田", "山田 太郎"), ("小明", "王", "王 小明"),
            ("たろう", "やまだ", "やまだ たろう"), ("タロー", "ヤマダ", "ヤマダ タロー"), ("ﾀﾛｰ", "ﾔﾏﾀﾞ", "ﾔﾏﾀﾞ ﾀﾛｰ"),
            ("민수", "김", "김 민수"), ("のり子", "佐々木", "佐々木 のり子"), ("メアリー・アン", "スミス", "スミス メアリー・アン"),
            ("Mary", "田中", "Mary 田中"), ("花子", "Smith", "花子 Smith"), ("太郎", nil, "太郎"), (nil, "山田", "山田"),
            ("Ἀλέξανδρος", "Παπαδόπουλος", "Ἀλέξανδρος Παπαδόπουλος"), ("1", "2", "1 2"),
        ] as [(String?, String?, String)])
    func familyNameFirst(given: String?, family: String?, full: String) {
        #expect(PersonName(given: given, family: family)?.full == full)
    }

    @Test(
        "A name is sanitized and truncated",
        arguments: [
            (" Ada\u{202E}\u{0000} ", "Ada"), ("Ada\n\tB.", "Ada B."),
            (String(repeating: "a", count: 500), String(repeating: "a", count: 100)),
            ("\u{200B}", nil), ("", nil), ("井上", "井上"),
            // Persian and Sinhala, and a family as an emoji.
            ("ناهید\u{200C}پور", "ناهید\u{200C}پور"), ("ශ්\u{200D}රී", "ශ්\u{200D}රී"),
            ("👩\u{200D}👧\u{200D}👦", "👩\u{200D}👧\u{200D}👦"), ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
            ("\u{200D}Ada\u{200D}", "Ada"), ("A\u{200D}\u{200D}B", "A B"), ("1\u{200D}2", "1 2"),
        ] as [(String, String?)])
    func cleaning(given: String, shown: String?) {
        #expect(PersonName(given: given, family: nil)?.given == shown)
    }
}
