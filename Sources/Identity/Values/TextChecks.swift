internal import Encoding

extension Unicode.Scalar {
    /// Whether the general category is Cc.
    public var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// Whether the scalar is a control character, or separates lines or paragraphs.
    public var isControlOrLineSeparator: Bool { isControl || value == 0x2028 || value == 0x2029 }
}

extension String {
    /// Whether every character is visible ASCII (U+0021 to U+007E), and the number of characters is in `lengths`.
    public func isVisibleASCII(_ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether the text has 1 to `byteLimit` bytes, and no characters that browsers may parse differently than the
    /// gateway: spaces, backslashes, control characters and non-ASCII characters.
    func isUnambiguousURL(byteLimit: Int) -> Bool {
        isVisibleASCII(1...byteLimit) && !utf8.contains(UInt8(ascii: "\\"))
    }

    /// Returns the host, in lower case, of an https URL that has no user, query or fragment.
    ///
    /// - Parameter acceptsLoopback: whether an http URL of a loopback host is accepted too.
    /// - Returns: `nil` for any other text, or if the text has more than `byteLimit` bytes.
    func hostOfURLWithoutQuery(byteLimit: Int, acceptsLoopback: Bool) -> String? {
        guard utf8.count <= byteLimit,
            let match = wholeMatch(
                of: /(https?):\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(\/[!$&-;=@-Z_a-z~%]*)?/)
        else { return nil }
        let host = match.2.lowercased()
        // A label is empty.
        guard !host.beginsExactly(with: "."), !host.containsBytes(of: "..") else { return nil }
        let isLoopback = ["127.0.0.1", "localhost", "[::1]"].contains(host)
        return match.1 == "https" || (acceptsLoopback && isLoopback) ? host : nil
    }
}
