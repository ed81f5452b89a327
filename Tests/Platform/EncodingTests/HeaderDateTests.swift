import Encoding
import Testing

@Suite("Dates in header fields")
struct HeaderDateTests {
    @Test(
        "A date has the form of RFC 9110 in HTTP, and the form of RFC 5322 in an email",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37"), (0, "Thu, 01 Jan 1970 00:00:00"),
            (-1, "Wed, 31 Dec 1969 23:59:59"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00"),
            (1_798_761_599, "Thu, 31 Dec 2026 23:59:59"),
        ] as [(Int64, String)])
    func form(second: Int64, expected: String) {
        #expect(HeaderDate.http.text(secondsSince1970: second) == expected + " GMT")
        #expect(HeaderDate.email.text(secondsSince1970: second) == expected + " +0000")
    }
}
