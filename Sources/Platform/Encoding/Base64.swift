/// Base64 with the standard alphabet (RFC 4648 §4).
public enum Base64 {
    private static let alphabet = Base64Alphabet(endingWith: "+/")
    private static let padding = UInt8(ascii: "=")

    /// Encodes with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        let text = alphabet.encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// Encodes without padding, as in PHC strings.
    public static func encodeUnpadded(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

    /// Decodes either Base64 alphabet of RFC 4648, with or without padding, because clients and files with exported
    /// password hashes use all these forms.
    ///
    /// - Returns: `nil` for any other character and for an impossible length. Bits of the last character that belong to
    ///   no byte are ignored.
    public static func decode(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)
        while characters.last == padding { characters.removeLast() }
        for index in characters.indices {
            if characters[index] == UInt8(ascii: "-") { characters[index] = UInt8(ascii: "+") }
            if characters[index] == UInt8(ascii: "_") { characters[index] = UInt8(ascii: "/") }
        }
        return alphabet.decode(characters, allowingLeftoverBits: true)
    }

    /// Whether a byte is an ASCII character of the alphabet; padding is not.
    public static func contains(_ character: UInt8) -> Bool { alphabet.values[Int(character)] < 64 }
}

/// One of the two Base64 alphabets (RFC 4648 §4, §5), and the conversion that both share.
struct Base64Alphabet: Sendable {
    private let characters: [UInt8]
    /// The value of each byte; 64 for bytes outside the alphabet.
    let values: [UInt8]

    /// - Parameter last: the characters with the values 62 and 63.
    init(endingWith last: String) {
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        var values = [UInt8](repeating: 64, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var count = 0
            var pending: UInt32 = 0
            var bits = 0
            for byte in bytes {
                pending = pending << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text.initializeElement(at: count, to: characters[Int(pending >> UInt32(bits) & 63)])
                    count += 1
                }
            }
            if bits > 0 {
                text.initializeElement(at: count, to: characters[Int(pending << UInt32(6 - bits) & 63)])
                count += 1
            }
            return count
        }
    }

    func decode(_ characters: some Collection<UInt8>, allowingLeftoverBits: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for character in characters {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        guard bits < 6, allowingLeftoverBits || pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
public enum Base64URL {
    private static let alphabet = Base64Alphabet(endingWith: "-_")

    public static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

    /// - Returns: `nil` for characters outside the alphabet (also padding and whitespace), an impossible length, and a
    ///   last character with bits that belong to no byte and are not zero. Each value has only one accepted encoding,
    ///   so that a token cannot be written in two ways.
    public static func decode(_ text: String) -> [UInt8]? {
        alphabet.decode(text.utf8, allowingLeftoverBits: false)
    }

    /// Decodes like ``decode(_:)-(String)``. Not generic, because calls from other modules would not be specialised.
    public static func decode(_ characters: ArraySlice<UInt8>) -> [UInt8]? {
        alphabet.decode(characters, allowingLeftoverBits: false)
    }

    /// Whether a byte is an ASCII character of the alphabet.
    public static func contains(_ character: UInt8) -> Bool { alphabet.values[Int(character)] < 64 }
}
