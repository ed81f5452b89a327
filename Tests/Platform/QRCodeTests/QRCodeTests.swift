import HTML
import Testing

@testable import QRCode

/// `test_qr_code.py` compares the modules with those of another encoder.
@Suite("QR codes")
struct QRCodeTests {
    @Test(
        "The code has the smallest version with enough room; a text that is empty or too long has none",
        arguments: [
            (0, nil), (1, 21), (17, 21), (18, 25), (106, 37), (107, 41), (230, 53), (231, nil),
            (100_000, nil),
        ] as [(Int, Int?)])
    func size(length: Int, width: Int?) {
        #expect(QRCode(String(repeating: "a", count: length))?.width == width)
    }

    @Test("A zero byte and characters beyond ASCII count like others")
    func bytes() throws {
        let (plain, zero) = (try #require(QRCode("ab")), try #require(QRCode("a\u{0}")))
        #expect(Self.modules(of: plain) != Self.modules(of: zero))
        #expect(QRCode(String(repeating: "\u{95A2}", count: 77)) == nil)
        #expect(QRCode(String(repeating: "\u{95A2}", count: 76)) != nil)
    }

    @Test("Three corners have the finder pattern, and the fourth has none")
    func finderPatterns() throws {
        let code = try #require(QRCode("otpauth://totp/a?secret=b"))
        let pattern = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
        func corner(_ x: Int, _ y: Int) -> [String] {
            (0..<7).map { row in (0..<7).map { code.isDark(x: x + $0, y: y + row) ? "1" : "0" }.joined() }
        }
        let far = code.width - 7
        #expect(corner(0, 0) == pattern && corner(far, 0) == pattern && corner(0, far) == pattern)
        #expect(corner(far, far) != pattern)
    }

    @Test("The image is black on white with a quiet zone of four modules, and has a title")
    func image() throws {
        let code = try #require(QRCode("a"))
        let image = Markup.qrCode(code, title: "Scan <me>").html
        #expect(
            image.hasPrefix(
                """
                <svg viewBox="0 0 29 29" width="116" height="116" role="img" aria-labelledby="qr-title" \
                shape-rendering="crispEdges"><title id="qr-title">Scan &lt;me&gt;</title>\
                <rect width="29" height="29" fill="#fff"></rect><path stroke="#000" d="M4 4.5h7
                """))
        #expect(!image.contains("style"))
    }

    @Test("The image of the longest text leaves room for the page around it")
    func imageSize() throws {
        let code = try #require(QRCode(String(repeating: "a", count: QRCode.maximumLength)))
        #expect(Markup.qrCode(code, title: "").html.utf8.count < 6000)
    }

    private static func modules(of code: QRCode) -> [Bool] {
        (0..<code.width).flatMap { y in (0..<code.width).map { code.isDark(x: $0, y: y) } }
    }
}
