/// Why a text is rejected as JSON. Contains nothing of the text, so it may be logged.
public enum JSONFault: Error, Equatable {
    case notUTF8
    /// Violates the grammar of RFC 8259 at this byte. A byte order mark and text after the value are errors too.
    case malformed(offset: Int)
    case tooDeep
    /// Two members of one object have the same name once escapes are resolved (RFC 8259 §4, RFC 7515 §4).
    case duplicateMember
    /// U+0000 in a string, plain or escaped. C libraries and PostgreSQL would truncate or reject it.
    case nul
    /// A surrogate escape without its pair.
    case loneSurrogate
}
