/// Percent-encoding (RFC 3986 §2.1).
public enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Encodes the UTF-8 of all characters except the unreserved ones (RFC 3986 §2.3).
    ///
    /// - Parameter literals: additional ASCII characters that are not encoded.
    public static func encode(_ text: String, keeping literals: String = "") -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if unreserved.contains(byte) || literals.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Encodes the fields of a form or of a query as `application/x-www-form-urlencoded`. A space becomes `%20` and not
    /// `+`, because only decoders of forms read `+` as a space.
    public static func encode(form fields: [(String, String)]) -> String {
        fields.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
    }

    /// Decodes percent-escapes once: `%2541` becomes `%41`.
    ///
    /// - Parameter plusIsSpace: whether "+" stands for a space (`application/x-www-form-urlencoded`).
    /// - Returns: `nil` for an invalid escape and for text that is not valid UTF-8.
    @inlinable
    public static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var remaining = bytes.makeIterator()
        while let byte = remaining.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = remaining.next().flatMap(Hexadecimal.value(of:)),
                    let low = remaining.next().flatMap(Hexadecimal.value(of:))
                else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                decoded.append(UInt8(ascii: " "))
            default:
                decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
