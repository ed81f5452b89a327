import Encoding
import Testing

@testable import HTTP

@Suite("Forms with files")
struct MultipartDecoderTests {
    private static let type = "multipart/form-data; boundary=----X1"

    private static func decode(_ body: String, type: String = type) -> [MultipartDecoder.Part]? {
        MultipartDecoder.decode(Array(body.utf8), contentType: type)
    }

    /// The body of a form with the fields of browsers.
    private static func body(_ parts: [(head: String, content: String)]) -> String {
        parts.map { "------X1\r\n\($0.head)\r\n\r\n\($0.content)\r\n" }.joined() + "------X1--\r\n"
    }

    private static let field = ("Content-Disposition: form-data; name=\"form\"", "upload")

    @Test("A body as browsers encode it has the fields and the file, byte for byte")
    func browsers() throws {
        let file = Array("\u{0}\r\n--\r\n------X\r\n\r".utf8) + [0xFF, 0x80]
        let start = Array(
            Self.body([
                Self.field,
                (
                    "content-disposition: form-data; name=\"content\"; filename=\"a \u{1F600}%22.png\"\r\nContent-Type: image/png",
                    "@"
                ),
            ]).utf8)
        let mark = try #require(start.lastIndex(of: UInt8(ascii: "@")))
        let body = start[..<mark] + file + start[(mark + 1)...]
        let parts = MultipartDecoder.decode(Array(body), contentType: "Multipart/Form-Data; boundary=----X1")
        #expect(
            parts == [
                .init(name: "form", isFile: false, content: Array("upload".utf8)),
                .init(name: "content", isFile: true, content: file),
            ])
    }

    private static let usual: [(String, Int)] = [
        (body([field, field]), 2), (body([("Content-Disposition: form-data; name=\"a\"", "")]), 1),
        (
            body([
                (
                    "Content-Disposition: form-data; name=\"a\"; filename=\"\"\r\nContent-Type: application/octet-stream",
                    ""
                )
            ]), 1
        ),
        (body([("Content-Disposition: form-data; name=\"a\"; filename=\"b\"", "c")]), 1),
        (String(body([field]).dropLast()), 1), (body(Array(repeating: field, count: 20)), 20),
    ]

    @Test("Other bodies that browsers send are accepted", arguments: usual)
    func accepted(body: String, count: Int) {
        #expect(Self.decode(body)?.count == count)
    }

    private static let malformed: [String] = [
        "", "------X1--\r\n", "------X1\r\n", "\r\n" + body([field]), "preamble\r\n" + body([field]),
        body([field]) + "epilogue", body([field]) + "\r\n", body([field]).replacing("\r\n", with: "\n"),
        String(body([field]).dropLast(3)), body([field]).replacing("X1--", with: "X1"),
        body([field]).replacing("upload\r\n", with: "upload"), body(Array(repeating: field, count: 21)),
        body([("", "a")]), body([("Content-Type: image/png", "a")]),
        body([("Content-Disposition: attachment; name=\"a\"", "a")]),
        body([("Content-Disposition: form-data; name=a", "a")]),
        body([("Content-Disposition: form-data; name=\"\"", "a")]),
        body([("Content-Disposition: form-data; name=\"a", "a")]),
        body([("Content-Disposition: form-data; name=\"a\u{0}\"", "a")]),
        body([("Content-Disposition: form-data; name=\"a\nb\"", "a")]),
        body([("Content-Disposition: form-data; name=\"a\" ", "a")]),
        body([("Content-Disposition: form-data; filename=\"b\"; name=\"a\"", "a")]),
        body([("Content-Disposition: form-data; name=\"a\"; filename*=UTF-8''b", "a")]),
        body([("Content-Disposition: form-data; name=\"a\"; name=\"b\"", "a")]),
        body([("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain", "a")]),
        body([
            ("Content-Disposition: form-data; name=\"a\"; filename=\"b\"\r\nContent-Transfer-Encoding: base64", "a")
        ]),
        body([("Content-Disposition: form-data; name=\"a\"; filename=\"b\"\r\nContent-Type: a\r\nX: b", "a")]),
        body([(" Content-Disposition: form-data; name=\"a\"", "a")]),
        body([("Content-Disposition: form-data; name=\"\(String(repeating: "a", count: 1000))\"", "a")]),
    ]

    @Test("Everything else is rejected", arguments: malformed)
    func rejected(body: String) {
        #expect(Self.decode(body) == nil)
    }

    @Test("A name that is not valid UTF-8 is rejected")
    func invalidName() {
        let body = Self.body([("Content-Disposition: form-data; name=\"@\"", "a")])
        #expect(
            MultipartDecoder.decode(body.utf8.map { $0 == UInt8(ascii: "@") ? 0xFF : $0 }, contentType: Self.type)
                == nil)
    }

    @Test(
        "Another content type, and another boundary, are rejected",
        arguments: [
            "", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=----X2",
            "multipart/form-data; boundary=\"----X1\"", "multipart/form-data;boundary=----X1",
            "multipart/form-data; charset=utf-8; boundary=----X1", "multipart/form-data; boundary=----X1; a=b",
            "multipart/mixed; boundary=----X1", "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=----X1\r\n",
            "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
        ])
    func otherTypes(type: String) {
        #expect(Self.decode(Self.body([Self.field]), type: type) == nil)
    }
}
