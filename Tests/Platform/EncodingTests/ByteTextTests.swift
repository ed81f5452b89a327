import Encoding
import Testing

@Suite("Text that is compared by its bytes")
struct ByteTextTests {
    @Test(
        "Canonically equivalent texts differ",
        arguments: [("\u{212A}", "K"), ("\u{E9}", "e\u{301}"), ("\u{37E}", ";"), ("\u{1100}\u{1161}", "\u{AC00}")])
    func equivalence(left: String, right: String) {
        #expect(left == right, "the texts are equivalent")
        #expect(ByteText(left) != ByteText(right))
        #expect(Set([ByteText(left), ByteText(right)]).count == 2)
        #expect(!left.isExactly(right))
        #expect(![left].containsExactly(right))
        #expect(!("a" + left).endsExactly(with: right) && !(left + "a").beginsExactly(with: right))
    }

    @Test("Texts with the same bytes are equal, and others are ordered by their bytes")
    func bytes() {
        #expect(ByteText("é") == "é")
        #expect(ByteText("é").hashValue == ByteText("é").hashValue)
        #expect(
            ["\u{E9}", "f", "e\u{301}"].map { ByteText($0) }.sorted().map(\.rawValue) == ["e\u{301}", "f", "\u{E9}"])
        #expect("abc".beginsExactly(with: "ab") && "abc".endsExactly(with: "bc") && !"b".endsExactly(with: "ab"))
        #expect("abc".containsBytes(of: "bc") && "a".containsBytes(of: "") && !"ab".containsBytes(of: "abc"))
    }

    @Test("A name of more than 256 bytes is an unknown name")
    func length() {
        #expect(!ByteText(String(repeating: "a", count: 256)).isUnknownName)
        #expect(ByteText(String(repeating: "é", count: 129)).isUnknownName)
    }

    @Test(
        "At most 128 combining characters in a row are accepted",
        arguments: [("\u{301}", 128, true), ("\u{301}", 129, false), ("a\u{301}", 1000, true), ("漢", 1000, true)])
    func combiningCharacters(unit: String, count: Int, isAccepted: Bool) {
        #expect(String(repeating: unit, count: count).isWithinCombiningLimit == isAccepted)
    }
}
