internal import Crypto
internal import Encoding

/// Parts of a provider's identifiers, derived from texts by SHA-256, so that they are the same in every run.
enum Derived {
    static func hex(from source: String..., bytes count: Int) -> String {
        Hexadecimal.encode(digest(source).prefix(count))
    }

    static func digits(from source: String..., count: Int) -> String {
        String(digest(source).prefix(count).map { Character(String($0 % 10)) })
    }

    /// Lower-case letters and digits, without `i`, `l`, `o` and `u`.
    static func alphanumerics(from source: String..., count: Int) -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return String(digest(source).prefix(count).map { alphabet[Int($0) % alphabet.count] })
    }

    private static func digest(_ source: [String]) -> [UInt8] {
        Digest.sha256(Array(source.joined(separator: "\u{0}").utf8))
    }
}
