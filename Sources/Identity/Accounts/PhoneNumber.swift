/// A telephone number in E.164: a plus sign and 1 to 15 digits.
public struct PhoneNumber: Hashable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` for any other text, such as one with spaces or separators.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (1...15).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        rawValue = text
    }
}
