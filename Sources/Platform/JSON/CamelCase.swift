extension String {
    /// Converts `photo_url`, `photoURL` and `PhotoUrl` to `photoUrl`. Names with non-ASCII characters stay unchanged.
    var camelCased: String {
        let bytes = Array(utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }), !bytes.isCamelCase else { return self }
        var result: [UInt8] = []
        var beginsWord = false
        for (index, byte) in bytes.enumerated() {
            guard byte != UInt8(ascii: "_") else {
                beginsWord = !result.isEmpty
                continue
            }
            let beginsHere = beginsWord || bytes.beginsWord(at: index)
            result.append(beginsHere && !result.isEmpty ? byte.uppercased : byte.lowercased)
            beginsWord = false
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Most names are in camel case already.
    fileprivate var isCamelCase: Bool {
        var followsCapital = true
        for byte in self {
            guard byte != UInt8(ascii: "_"), !(byte.isUppercase && followsCapital) else { return false }
            followsCapital = byte.isUppercase
        }
        return true
    }

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
