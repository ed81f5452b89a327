/// Why a text is not taken for JSON. Says nothing of its contents, so it may be logged.
public enum JSONFault: Error, Equatable {
    case notUTF8
    /// Breaks the grammar of RFC 8259 at this byte; a byte order mark and anything after the value do, too.
    case malformed(offset: Int)
    case tooDeep
    /// Two members of one object have the same name once escapes are resolved (RFC 8259 §4, RFC 7515 §4).
    case duplicateMember
    /// U+0000 in a string, written out or escaped: C libraries and PostgreSQL would cut or refuse it.
    case nul
    /// Half of a pair of `\u` escapes for one character.
    case loneSurrogate
}
