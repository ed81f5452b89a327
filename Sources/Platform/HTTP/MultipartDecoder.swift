public import Encoding

/// Decodes a form with files (`multipart/form-data`, RFC 7578) as browsers encode it (WHATWG HTML §4.10.22.8).
///
/// Accepts nothing else that the standards permit, so that no two parsers read a body differently: no preamble, no
/// quoted boundary, no other header fields than `Content-Disposition`, first, and the `Content-Type` of a file.
public enum MultipartDecoder {
    /// A field of the form.
    public struct Part: Hashable, Sendable {
        public let name: ByteText
        public let isFile: Bool
        public let content: [UInt8]

        public init(name: ByteText, isFile: Bool, content: [UInt8]) {
            self.name = name
            self.isFile = isFile
            self.content = content
        }
    }

    static let maximumParts = 20
    /// The maximum length of the header fields of a part, in bytes.
    static let maximumHeadLength = 1024
    private static let newline = Array("\r\n".utf8)
    private static let type = Array("multipart/form-data; boundary=".utf8)

    /// - Parameter contentType: the header field of the request.
    /// - Returns: `nil` for any other content type, and for a malformed body.
    public static func decode(_ body: [UInt8], contentType: String) -> [Part]? {
        guard let boundary = boundary(of: Array(contentType.utf8)) else { return nil }
        let delimiter = Array("--".utf8) + boundary
        var rest = body[...]
        guard rest.removePrefix(delimiter) else { return nil }
        var parts: [Part] = []
        while rest.removePrefix(newline) {
            guard parts.count < maximumParts, let head = rest.removeHead(),
                let (name, isFile) = fieldName(in: head),
                let content = rest.remove(through: newline + delimiter)
            else { return nil }
            parts.append(Part(name: name, isFile: isFile, content: content))
        }
        guard rest.removePrefix(Array("--".utf8)), rest.isEmpty || rest.elementsEqual(newline), !parts.isEmpty else {
            return nil
        }
        return parts
    }

    private static func boundary(of contentType: [UInt8]) -> ArraySlice<UInt8>? {
        guard contentType.count > type.count, zip(contentType, type).allSatisfy({ $0.lowercased == $1 }) else {
            return nil
        }
        let boundary = contentType[type.count...]
        return boundary.count <= 70 && boundary.allSatisfy(\.isBoundaryCharacter) ? boundary : nil
    }

    /// The name in the header fields of a part, and whether the part is a file.
    private static func fieldName(in head: ArraySlice<UInt8>) -> (ByteText, isFile: Bool)? {
        var rest = head
        guard rest.removePrefixIgnoringCase(Array("content-disposition: form-data; name=\"".utf8)),
            let name = rest.removeQuoted(), name != ""
        else { return nil }
        guard rest.removePrefix(Array("; filename=\"".utf8)) else { return rest.isEmpty ? (name, false) : nil }
        guard rest.removeQuoted() != nil else { return nil }
        guard !rest.isEmpty else { return (name, true) }
        guard rest.removePrefix(newline), rest.removePrefixIgnoringCase(Array("content-type: ".utf8)),
            rest.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return (name, true)
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    fileprivate var isBoundaryCharacter: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    /// - Returns: whether the bytes began with `prefix`.
    fileprivate mutating func removePrefix(_ prefix: [UInt8]) -> Bool {
        guard starts(with: prefix) else { return false }
        self = dropFirst(prefix.count)
        return true
    }

    /// - Parameter prefix: in lower case.
    fileprivate mutating func removePrefixIgnoringCase(_ prefix: [UInt8]) -> Bool {
        guard starts(with: prefix, by: { $0.lowercased == $1 }) else { return false }
        self = dropFirst(prefix.count)
        return true
    }

    /// Removes a text up to a quotation mark, and the mark.
    ///
    /// - Returns: `nil` without a mark, for control characters, and for text that is not valid UTF-8.
    fileprivate mutating func removeQuoted() -> ByteText? {
        guard let end = firstIndex(of: UInt8(ascii: "\"")), self[..<end].allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let text = String(validating: self[..<end], as: UTF8.self)
        else { return nil }
        self = self[(end + 1)...]
        return ByteText(text)
    }

    /// Removes the header fields of a part, with the empty line after them.
    fileprivate mutating func removeHead() -> ArraySlice<UInt8>? {
        var window = prefix(MultipartDecoder.maximumHeadLength + 4)
        let (all, start) = (self, startIndex)
        guard let head = window.remove(through: Array("\r\n\r\n".utf8)) else { return nil }
        self = all[(start + head.count + 4)...]
        return head[...]
    }

    /// Removes the bytes up to the first occurrence of `mark`, and the mark.
    ///
    /// - Parameter mark: begins with a carriage return.
    fileprivate mutating func remove(through mark: [UInt8]) -> [UInt8]? {
        var index = startIndex
        while let found = self[index...].firstIndex(of: UInt8(ascii: "\r")) {
            if self[found...].starts(with: mark) {
                let content = Array(self[..<found])
                self = self[(found + mark.count)...]
                return content
            }
            index = found + 1
        }
        return nil
    }
}
