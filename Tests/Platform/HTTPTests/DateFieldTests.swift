import Testing

@testable import HTTP

@Suite("Date fields")
struct DateFieldTests {
    @Test(
        "A date field has the form of RFC 9110",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
        ])
    func form(second: Int, expected: String) {
        #expect(DateField.text(at: second) == expected)
    }
}
