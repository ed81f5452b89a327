/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
public enum Base64URL {
    private static let alphabet = Base64Alphabet("-_")

    public static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

    /// - Returns: `nil` for padding, whitespace, characters outside the alphabet, and leftover bits that are not zero.
    ///   Each value has one accepted text, so that no token has a second spelling.
    public static func decode(_ text: String) -> [UInt8]? {
        alphabet.decode(text.utf8, allowingLeftoverBits: false)
    }

    /// See ``decode(_:)-(String)``. Not generic, because other modules would call it unspecialized.
    public static func decode(_ letters: ArraySlice<UInt8>) -> [UInt8]? {
        alphabet.decode(letters, allowingLeftoverBits: false)
    }

    /// Whether a byte is an ASCII character of the alphabet.
    public static func contains(_ letter: UInt8) -> Bool { alphabet.values[Int(letter)] < 64 }
}
