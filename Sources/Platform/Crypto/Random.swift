internal import CSystem

/// The system's generator; fit for keys.
public enum Random {
    public static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    public static func bytes(_ count: Int) -> [UInt8] {
        Sodium.prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// Every character of `alphabet` is equally likely at every place.
    ///
    /// - Parameter alphabet: 2 to 256 different ASCII characters.
    public static func text(length: Int, alphabet: String = alphanumerics) -> String {
        let letters = Array(alphabet.utf8)
        precondition((2...256).contains(letters.count) && letters.allSatisfy { $0 < 128 }, "not an ASCII alphabet")
        // Bytes from here on would favour the first letters: they are drawn again.
        let bound = 256 - 256 % letters.count
        var text: [UInt8] = []
        text.reserveCapacity(length)
        while text.count < length {
            let usable = bytes(length - text.count).filter { Int($0) < bound }
            text += usable.map { letters[Int($0) % letters.count] }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
