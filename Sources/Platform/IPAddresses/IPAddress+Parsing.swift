internal import Encoding

extension IPAddress {
    /// Reads dotted decimal without leading zeros, or IPv6 in any spelling of RFC 4291 §2.2.
    ///
    /// - Returns: `nil` for anything but one address: no port, no zone, no brackets.
    public init?(_ text: some StringProtocol) {
        self.init(parsing: String(text))
    }

    private init?(parsing text: String) {
        if let ipv4 = Self.ipv4(text.utf8) {
            self.init(ipv4: ipv4)
        } else if let groups = Self.groups(Array(text.utf8)) {
            func half(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }
            self.init(high: half(groups[..<4]), low: half(groups[4...]))
        } else {
            return nil
        }
    }

    private static func ipv4(_ text: some Collection<UInt8>) -> UInt32? {
        var (address, parts) = (UInt32(0), 1)
        var (value, digits) = (UInt32(0), 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits == 0 || value > 0 else { return nil }
                value = value * 10 + UInt32(byte - UInt8(ascii: "0"))
                digits += 1
                guard value < 256 else { return nil }
            case UInt8(ascii: "."):
                guard digits > 0, parts < 4 else { return nil }
                address = address << 8 | value
                parts += 1
                (value, digits) = (0, 0)
            default: return nil
            }
        }
        return parts == 4 && digits > 0 ? address << 8 | value : nil
    }

    /// - Returns: eight groups of an IPv6 address.
    private static func groups(_ text: [UInt8]) -> [UInt16]? {
        guard (2...45).contains(text.count) else { return nil }
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else { return groups(text[...], isEnd: true).flatMap { $0.count == 8 ? $0 : nil } }
        guard let before = groups(text[..<gap], isEnd: false), let after = groups(text[(gap + 2)...], isEnd: true),
            before.count + after.count <= 7
        else { return nil }
        return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    /// - Parameter isEnd: whether the text may end in an IPv4 address, which stands for two groups.
    private static func groups(_ text: ArraySlice<UInt8>, isEnd: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if isEnd, index == parts.count - 1, let ipv4 = ipv4(part) {
                groups += [UInt16(ipv4 >> 16), UInt16(ipv4 & 0xFFFF)]
            } else if let group = group(part) {
                groups.append(group)
            } else {
                return nil
            }
        }
        return groups
    }

    private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(digits.count) else { return nil }
        var group: UInt16 = 0
        for digit in digits {
            guard let value = Hexadecimal.value(of: digit) else { return nil }
            group = group << 4 | UInt16(value)
        }
        return group
    }
}
