internal import Encoding

extension [ParsedMember] {
    /// - Parameter isConverting: `false` returns the members unchanged.
    /// - Throws: ``JSONFault/duplicateMember`` if several names are equal in camel case. Otherwise, a member that a
    ///   client adds in another spelling could replace a member that a backend sets in the client's object.
    func namedInCamelCase(_ isConverting: Bool) throws(JSONFault) -> [ParsedMember] {
        guard isConverting, contains(where: { !$0.name.rawValue.utf8.isCamelCase }) else { return self }
        let renamed = map { ParsedMember(name: $0.name.camelCased, value: $0.value) }
        if zip(renamed, self).contains(where: { $0.name != $1.name }), Set(renamed.map(\.name)).count < count {
            throw .duplicateMember
        }
        return renamed
    }
}

extension ByteText {
    /// Converts `photo_url`, `photoURL` and `PhotoUrl` to `photoUrl`. Unknown names and names with non-ASCII characters
    /// stay unchanged.
    var camelCased: ByteText {
        guard !isUnknownName else { return self }
        let bytes = Array(rawValue.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }), !bytes.isCamelCase else { return self }
        var result: [UInt8] = []
        var followsUnderscore = false
        for (index, byte) in bytes.enumerated() {
            guard byte != UInt8(ascii: "_") else {
                followsUnderscore = !result.isEmpty
                continue
            }
            let beginsWord = followsUnderscore || bytes.beginsWord(at: index)
            result.append(beginsWord && !result.isEmpty ? byte.uppercased : byte.lowercased)
            followsUnderscore = false
        }
        return ByteText(String(decoding: result, as: UTF8.self))
    }
}

extension Sequence<UInt8> {
    /// Whether a name is in camel case already, as most names are: it has no underscore, does not begin with a capital,
    /// and has no two capitals in a row.
    fileprivate var isCamelCase: Bool {
        var mayBeCapital = false
        for byte in self {
            guard byte != UInt8(ascii: "_"), mayBeCapital || !byte.isUppercase else { return false }
            mayBeCapital = !byte.isUppercase
        }
        return true
    }
}

extension [UInt8] {
    /// Whether a word begins here: a capital that does not follow another capital, or the last capital of a run if
    /// lower-case letters follow.
    fileprivate func beginsWord(at index: Int) -> Bool {
        guard self[index].isUppercase else { return false }
        guard index > 0, self[index - 1].isUppercase else { return true }
        return index + 1 < count && self[index + 1].isLowercase
    }
}

extension UInt8 {
    fileprivate var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var uppercased: UInt8 { isLowercase ? self - 0x20 : self }
    fileprivate var lowercased: UInt8 { isUppercase ? self + 0x20 : self }
}
