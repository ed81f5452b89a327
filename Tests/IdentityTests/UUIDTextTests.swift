import Foundation
import Identity
import Testing

@Suite("The text of a UUID")
struct UUIDTextTests {
    @Test("is what Foundation writes, in lower case, and reads back")
    func roundTrip() {
        for _ in 0..<1000 {
            let uuid = UUID()
            let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
            #expect(UUIDText.text(bytes) == uuid.uuidString.lowercased())
            #expect(UUIDText.bytes(uuid.uuidString) == bytes)
            #expect(UUIDText.bytes(uuid.uuidString.lowercased()) == bytes)
        }
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "-", "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdef0",
            "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg",
            "01234567x89ab-cdef-0123-456789abcdef", "0-234567-89ab-cdef-0123-456789abcdef",
            "{1234567-89ab-cdef-0123-456789abcde}", "01234567-89ab-cdef-0123-456789abcd\u{E9}",
        ])
    func refused(text: String) {
        #expect(UUIDText.bytes(text) == nil)
    }
}
