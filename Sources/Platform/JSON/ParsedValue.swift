/// A strict text taken apart; numbers as they stand there.
enum ParsedValue {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([ParsedValue])
    case object([ParsedMember])
}

/// A member of an object, by the name it has once escapes are resolved.
struct ParsedMember {
    var name: String
    let value: ParsedValue
}
