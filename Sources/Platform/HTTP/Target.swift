internal import Encoding

/// A request target in origin form, in absolute form, or `*` (RFC 9112 §3.2.1, §3.2.2, §3.2.4).
struct Target {
    /// Host and port of a target in absolute form, which take precedence over the field `Host`.
    let authority: String?
    /// Not percent-decoded.
    let path: String
    let query: [(name: ByteText, value: String)]

    init(parsing bytes: UnsafeRawBufferPointer, for method: Method) throws(RequestRejection) {
        if bytes.elementsEqual("*".utf8), method == .options {
            authority = nil
            path = "/"
            query = []
            return
        }
        guard bytes.allSatisfy(Self.isAllowed) else { throw .malformedTarget }
        let start = try Self.startOfPath(in: bytes)
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        guard
            Self.escapesAreComplete(bytes[start..<end]),
            let query = FormDecoder.pairs(in: bytes[end...].dropFirst())
        else { throw .malformedTarget }
        authority = start > 0 ? Self.authority(in: bytes[..<start]) : nil
        self.query = query
        path = start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : "/"
    }

    /// - Returns: 0 for a target in origin form.
    private static func startOfPath(in bytes: UnsafeRawBufferPointer) throws(RequestRejection) -> Int {
        if bytes.first == UInt8(ascii: "/") { return 0 }
        guard let scheme = schemes.first(where: { bytes.starts(withIgnoringASCIICase: $0) }) else {
            throw .malformedTarget
        }
        let authority = bytes[scheme.utf8CodeUnitCount...].prefix(while: isHostCharacter)
        let next = authority.endIndex < bytes.count ? bytes[authority.endIndex] : UInt8(ascii: "/")
        guard !authority.isEmpty, next == UInt8(ascii: "/") || next == UInt8(ascii: "?") else { throw .malformedTarget }
        return authority.endIndex
    }

    private static let schemes: [StaticString] = ["http://", "https://"]

    private static func authority(in bytes: Slice<UnsafeRawBufferPointer>) -> String {
        // The second slash of the scheme's "://" is the last one.
        let slash = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
        return String(decoding: bytes[(slash + 1)...], as: UTF8.self)
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

extension UnsafeRawBufferPointer {
    /// - Parameter text: ASCII without upper-case letters.
    fileprivate func starts(withIgnoringASCIICase text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount
            && (0..<text.utf8CodeUnitCount).allSatisfy { self[$0].lowercasedASCII == text.utf8Start[$0] }
    }
}
