/// A parsed JSON value; numbers keep their text.
enum ParsedValue: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([ParsedValue])
    case object([ParsedMember])
}

/// A member of an object; escapes in the name are resolved.
struct ParsedMember: Sendable {
    /// In an object with fewer members, comparing names is faster than hashing them.
    static let few = 32

    var name: String
    let value: ParsedValue
}
