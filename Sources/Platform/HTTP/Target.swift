internal import Encoding

/// A request target in origin form, or `*` (RFC 9112 §3.2.1, §3.2.4).
struct Target {
    /// Not percent-decoded.
    let path: String
    let query: [(name: String, value: String)]

    init(parsing bytes: UnsafeRawBufferPointer, for method: Method) throws(RequestRejection) {
        if bytes.elementsEqual("*".utf8), method == .options {
            path = "/"
            query = []
            return
        }
        guard bytes.first == UInt8(ascii: "/"), bytes.allSatisfy(Self.isAllowed) else { throw .malformedTarget }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        guard
            Self.escapesAreComplete(bytes[..<end]),
            let query = FormDecoder.pairs(in: bytes[end...].dropFirst())
        else { throw .malformedTarget }
        self.query = query
        path = String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Whether the byte is visible ASCII except "#", which would begin a fragment.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
    }

    private static func escapesAreComplete(_ path: Slice<UnsafeRawBufferPointer>) -> Bool {
        path.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy { text in
            text.prefix(2).count == 2 && text.prefix(2).allSatisfy { Hexadecimal.value(of: $0) != nil }
        }
    }
}
