import Encoding
import Foundation
import Testing

@Suite("UUIDs as text")
struct UUIDTextTests {
    @Test("The text is the same as Foundation's in lower case, and is read in either case")
    func roundTrip() {
        for _ in 0..<1000 {
            let uuid = UUID()
            let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
            #expect(UUIDText.text(bytes) == uuid.uuidString.lowercased())
            #expect(UUIDText.text(uuid) == uuid.uuidString.lowercased())
            #expect(UUIDText.bytes(uuid.uuidString) == bytes)
            #expect(UUIDText.bytes(uuid.uuidString.lowercased()) == bytes)
        }
    }

    /// RFC 9562 appendix A.
    @Test(
        "Published examples are read and written",
        arguments: ["c232ab00-9414-11ec-b3c8-9f6bdeced846", "919108f7-52d1-4320-9bac-f847db4148a8"])
    func published(text: String) throws {
        #expect(UUIDText.text(try #require(UUIDText.bytes(text))) == text)
    }

    @Test(
        "Text that is not a UUID with hyphens is rejected",
        arguments: [
            "", "-", "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdef0",
            "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg",
            "01234567x89ab-cdef-0123-456789abcdef", "0-234567-89ab-cdef-0123-456789abcdef",
            "{1234567-89ab-cdef-0123-456789abcde}", "01234567-89ab-cdef-0123-456789abcd\u{E9}",
        ])
    func rejected(text: String) {
        #expect(UUIDText.bytes(text) == nil)
    }
}
