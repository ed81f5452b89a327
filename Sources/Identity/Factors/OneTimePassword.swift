/// Time-based one-time passwords (RFC 6238) as authenticator apps compute them: HMAC-SHA-1, six digits, steps of 30
/// seconds since 1970.
enum OneTimePassword {
    static let digits = 6
    static let period: Duration = .seconds(30)
    static let hashAlgorithm = "SHA1"

    /// The number of the step that contains `instant`.
    static func step(at instant: Instant) -> Int64 { instant.seconds / period.components.seconds }

    /// Truncates the HMAC-SHA-1 of a step to a number of six digits (RFC 4226 §5.3).
    static func value(ofHMAC code: [UInt8]) -> UInt32 {
        let offset = Int(code[code.count - 1] & 0x0F)
        let word = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (word & 0x7FFF_FFFF) % 1_000_000
    }

    /// The message of a step's HMAC: its number as eight bytes, the most significant first.
    static func message(ofStep step: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
    }

    /// - Returns: `nil` unless `text` consists of six ASCII digits. Apps show the digits in two groups, so spaces are
    ///   ignored.
    static func parse(_ text: String) -> UInt32? {
        let bytes = text.utf8.filter { $0 != UInt8(ascii: " ") }
        guard bytes.count == digits, bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return bytes.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
    }

    /// Finds the step whose password is `value`, among the current step and its neighbours. Always computes and
    /// compares the passwords of all these steps, so that the time does not reveal which one matches.
    ///
    /// - Parameters:
    ///   - adjacent: how many steps before and after the current one are accepted.
    ///   - hmac: computes the HMAC-SHA-1 of a message with the factor's secret.
    /// - Returns: the last matching step; `nil` if none matches.
    static func step(
        of value: UInt32, at now: Instant, adjacent: Int, hmac: (_ message: [UInt8]) throws -> [UInt8]
    ) rethrows -> Int64? {
        let current = step(at: now)
        var found: Int64?
        for step in (current - Int64(adjacent))...(current + Int64(adjacent)) {
            if try Self.value(ofHMAC: hmac(message(ofStep: step))) == value { found = step }
        }
        return found
    }
}
