internal import DomainNames
public import Encoding

/// The ID of a `Subject`. The type parameter prevents the ID of a session from being used as the ID of an account.
public struct ID<Subject>: BytewiseComparable, Codable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ID: CustomStringConvertible {
    public var description: String { rawValue }
}

/// Text that must not reach a log: printing and mirroring show no part of it. ``expose()`` is the only way to read it.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    public func expose() -> String { text }

    public var isEmpty: Bool { text.isEmpty }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A point in time with the precision of PostgreSQL: microseconds.
public struct Instant: Hashable, Comparable, Codable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }
}

extension Instant {
    public init(seconds: Int64) {
        self.init(microseconds: seconds * 1_000_000)
    }

    /// The last second of the year 9999, the latest time that RFC 3339 can represent.
    public static let latest = Instant(seconds: 253_402_300_799)

    /// Whole seconds since the epoch, rounded down (the unit of JWT's NumericDate and of `validSince`).
    public var seconds: Int64 { microseconds.floored(by: 1_000_000) }
    /// Whole milliseconds since the epoch, rounded down (the unit of `createdAt` and `lastLoginAt`).
    public var milliseconds: Int64 { microseconds.floored(by: 1000) }

    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        return Instant(
            microseconds: instant.microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    public static func - (instant: Instant, duration: Duration) -> Instant { instant + (.zero - duration) }

    public static func - (later: Instant, earlier: Instant) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Int64 {
    fileprivate func floored(by unit: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Instant {
    /// The time in UTC with milliseconds and `Z` (RFC 3339 §5.6).
    public var iso8601: String { RFC3339.text(millisecondsSince1970: milliseconds) }

    /// - Parameter text: see ``RFC3339/microsecondsSince1970(_:)``.
    /// - Returns: `nil` unless `text` is a valid date, or a valid time in UTC.
    public init?(iso8601 text: String) {
        guard let microseconds = RFC3339.microsecondsSince1970(text) else { return nil }
        self.init(microseconds: microseconds)
    }
}

/// A syntactically valid email address, folded to lower case.
///
/// The local part must be ASCII: two addresses that look alike must not have two accounts, and mail servers differ in
/// how they fold other letters. An internationalised domain is converted to A-labels.
public struct EmailAddress: BytewiseComparable, Codable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` unless `local@domain` with 1 to 64 octets before the at sign and at most 254 octets in total
    ///   (RFC 5321 §4.5.3.1), without quoting and spaces.
    public init?(_ text: String) {
        guard let text = Self.withASCIIDomain(text) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2,
            (1...64).contains(parts[0].count), parts[0].allSatisfy(Self.isLocalPart),
            !parts[1].isEmpty,
            parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy(Self.isLabel)
        else { return nil }
        rawValue =
            text.utf8.contains(where: Self.isCapital)
            ? String(decoding: text.utf8.map(Self.folded), as: UTF8.self) : text
    }

    /// - Parameter text: the ``rawValue`` of an address that was stored.
    public init(stored text: String) {
        rawValue = text
    }
}

extension EmailAddress {
    /// Returns an ASCII text unchanged, and any other text with its domain in A-labels; `nil` if there is no such form.
    private static func withASCIIDomain(_ text: String) -> String? {
        guard text.utf8.contains(where: { $0 > 0x7F }) else { return text }
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            let domain = ASCIIDomain.converting(String(text[text.utf8.index(after: at)...]))
        else { return nil }
        return String(text[...at]) + domain
    }

    private static func isLocalPart(_ byte: UInt8) -> Bool {
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
    /// Whether the domain is one of the two domains of Apple's private relay. `icloud.com` is not one of them, because
    /// it has ordinary addresses.
    public var isRelay: Bool {
        ["@privaterelay.appleid.com", "@private.icloud.com"].contains { rawValue.endsExactly(with: $0) }
    }
}

extension EmailAddress {
    /// Checks the address of a request that must contain one.
    ///
    /// - Parameter text: `nil` if the request has no address.
    init(required text: String?) throws(CredentialRefusal) {
        guard let text else { throw .missingEmail }
        guard let email = EmailAddress(text) else { throw .invalidEmail }
        self = email
    }
}

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

/// The address of a user's photo, for display only. It need not be a valid URL: backends may set any text, as in
/// Firebase.
public struct PhotoURL: BytewiseComparable, Codable, Sendable {
    public let rawValue: String

    /// The maximum length in bytes: 2048 characters of four bytes.
    public static let byteLimit = 8192

    /// - Returns: `nil` unless the text has 1 to ``byteLimit`` bytes, without control characters and line separators.
    public init?(_ text: String) {
        guard (1...Self.byteLimit).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: \.isControlOrLineSeparator)
        else { return nil }
        rawValue = text
    }
}

/// The domain of an organisation that manages its members' accounts at a provider, in lower case.
public struct HostedDomain: BytewiseComparable, Codable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` unless the text has the form of a host name; see ``Project/isHostName(_:)``. Text of other
    ///   characters than ASCII is not a host name, but could be equal to one in lower case.
    public init?(_ text: String) {
        guard Project.isHostName(text) else { return nil }
        rawValue = text.lowercased()
    }
}

/// A JSON object that is added to ID tokens: set on an account by an administrator, or on a session by a custom token.
///
/// Stored as text. The code that creates a value checks that the text is an object of at most ``lengthLimit``
/// code points without the names in ``reserved``.
public struct Claims: Hashable, Sendable {
    public let json: String

    public init(json: String) {
        self.json = json
    }

    /// The maximum length of the text in Unicode code points.
    public static let lengthLimit = 1000

    /// The names of claims with a defined meaning in tokens.
    public static let reserved: Set<ByteText> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash", "sid", "act",
    ]
}

extension Claims {
    /// Whether a claim with that name could be mistaken for one of ``reserved``, including by readers that ignore case.
    public static func isReserved(_ name: ByteText) -> Bool { reserved.contains(folded(name)) }

    /// Returns the same text for all names that a case-insensitive reader treats as equal. Converts to upper case
    /// first, because some letters, such as the long s (ſ), become ASCII only in upper case.
    public static func folded(_ name: ByteText) -> ByteText { ByteText(name.rawValue.uppercased().lowercased()) }

    /// - Returns: the first reserved name in alphabetical order, so that error messages are deterministic, with the
    ///   reason if the name is reserved by the gateway only; `nil` if no name is reserved.
    public static func firstReserved(among names: some Sequence<ByteText>) -> String? {
        guard let name = names.filter(isReserved).min() else { return nil }
        return switch folded(name) {
        case "sid": "\(name.rawValue) (the gateway sets this claim to the ID of the session)"
        case "act": "\(name.rawValue) (this claim names a user who acts for another, RFC 8693 section 4.1)"
        default: name.rawValue
        }
    }
}
