/// The fields that determine where a request ends, which host it is for, and whether its connection continues.
///
/// Rejects every combination that a proxy and this server could read differently (RFC 9112 §3.2, §6.3 and §11.2). A
/// body needs a `Content-Length`.
struct FramingFields {
    private var hosts = 0
    private var hostIsValid = true
    private var lengths = 0
    /// `nil` if the field is not a number.
    private var length: Int? = 0
    private var encodings = 0
    private var hasClose = false
    private var hasKeepAlive = false
    private var expectsContinue = false

    mutating func note(_ field: FieldLine) {
        switch field.name.count {
        case 4 where field.name.equals("host"):
            hosts += 1
            hostIsValid = field.value.allSatisfy(isHostCharacter)
        case 6 where field.name.equals("expect"):
            expectsContinue = field.value.equals("100-continue")
        case 10 where field.name.equals("connection"):
            for option in field.value.split(separator: UInt8(ascii: ",")) {
                let option = UnsafeRawBufferPointer(rebasing: option).trimmed
                hasClose = hasClose || option.equals("close")
                hasKeepAlive = hasKeepAlive || option.equals("keep-alive")
            }
        case 14 where field.name.equals("content-length"):
            lengths += 1
            length = number(field.value)
        case 17 where field.name.equals("transfer-encoding"):
            encodings += 1
        default: break
        }
    }

    func framing(isHTTP10: Bool) throws(RequestRejection) -> Framing {
        guard hosts == 1 || (hosts == 0 && isHTTP10), hostIsValid else { throw .ambiguousHost }
        guard lengths <= 1, encodings <= 1, lengths == 0 || encodings == 0 else { throw .ambiguousLength }
        guard encodings == 0 else { throw .lengthRequired }
        guard let length else { throw .ambiguousLength }
        return Framing(
            bodyBytes: length, keepsAlive: !hasClose && (hasKeepAlive || !isHTTP10), isHTTP10: isHTTP10,
            expectsContinue: expectsContinue && !isHTTP10)
    }
}

/// - Returns: `nil` unless `digits` has decimal digits only; `Int.max` for a number that overflows.
private func number(_ digits: UnsafeRawBufferPointer) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self)) ?? .max
}

/// The characters of RFC 3986 §3.2.2 and §3.2.3; no user information, no list.
private func isHostCharacter(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "-._~%!$&'()*+;=:[]".utf8.contains(byte)
}

extension UnsafeRawBufferPointer {
    /// - Parameter text: ASCII without upper-case letters.
    fileprivate func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && indices.allSatisfy { self[$0].lowercasedASCII == text.utf8Start[$0] }
    }

    /// Without spaces and tabs at both ends.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        let start = firstIndex { !$0.isBlank } ?? endIndex
        let end = lastIndex { !$0.isBlank }.map { $0 + 1 } ?? start
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
