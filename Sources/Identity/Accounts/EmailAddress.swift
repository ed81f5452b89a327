/// A syntactically valid address, folded to lower case.
///
/// ASCII only: two addresses that look alike must not be two accounts, and folding beyond ASCII differs between
/// mail servers. An address beyond ASCII is written with its domain in A-labels.
public struct EmailAddress: Hashable, Codable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` unless `local@domain` with 1 to 64 octets before the sign, at most 254 in all
    ///   (RFC 5321 §4.5.3.1), no quoting, no blanks.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2,
            (1...64).contains(parts[0].count), parts[0].allSatisfy(Self.isLocal),
            !parts[1].isEmpty,
            parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy(Self.isLabel)
        else { return nil }
        rawValue =
            text.utf8.contains(where: Self.isCapital)
            ? String(decoding: text.utf8.map(Self.folded), as: UTF8.self) : text
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ":"),
            UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "\\"),
            UInt8(ascii: "]"):
            false
        default: (0x21...0x7E).contains(byte)
        }
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen || $0 == UInt8(ascii: "_") }
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func folded(_ byte: UInt8) -> UInt8 { isCapital(byte) ? byte | 0x20 : byte }
}

extension EmailAddress {
    /// Whether the domain is one of Apple's private relay, old or new. Never `icloud.com`, which has ordinary
    /// addresses.
    public var isRelay: Bool {
        ["@privaterelay.appleid.com", "@private.icloud.com"].contains { rawValue.hasSuffix($0) }
    }
}

extension EmailAddress {
    init(presented text: String?) throws(CredentialRefusal) {
        guard let text else { throw .missingEmail }
        guard let email = EmailAddress(text) else { throw .invalidEmail }
        self = email
    }
}
