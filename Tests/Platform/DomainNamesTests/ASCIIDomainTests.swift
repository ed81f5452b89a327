import DomainNames
import Testing

@Suite("ASCII forms of domain names")
struct ASCIIDomainTests {
    @Test(
        "Labels that are not ASCII become A-labels in lower case, as in browsers",
        arguments: [
            ("example.com", "example.com"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("straße.example", "xn--strae-oqa.example"), ("strasse.example", "strasse.example"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("ｅｘａｍｐｌｅ.com", "example.com"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ])
    func conversion(domain: String, expected: String) {
        #expect(ASCIIDomain.converting(domain) == expected)
    }

    @Test(
        "Names without a valid form are rejected",
        arguments: [
            "a\0b", "é é.example", "☃︎\u{202E}.example", String(repeating: "é", count: 64) + ".example",
            String(repeating: "é", count: 513), "é_b.example", "é＿b.example", "é/x.example", "é..example", ".é", "é.",
            "",
        ])
    func invalid(domain: String) {
        #expect(ASCIIDomain.converting(domain) == nil)
    }
}
