/// The keys that secrets at rest are sealed with: the current one, and while rows move over, the one before.
public struct MasterKeys: Sendable {
    public struct WrongLength: Error {}

    static let keyLength = 32
    static let idLength = 4

    let current: MasterKey
    let previous: MasterKey?

    /// - Throws: ``WrongLength`` unless every key has 32 bytes.
    public init(current: [UInt8], previous: [UInt8]? = nil) throws(WrongLength) {
        guard current.count == Self.keyLength, (previous?.count ?? Self.keyLength) == Self.keyLength else {
            throw WrongLength()
        }
        self.current = MasterKey(current)
        self.previous = previous.map { MasterKey($0) }
    }

    /// Usually one or none; two if the short ids of different keys agree by chance.
    func keys(withID id: ArraySlice<UInt8>) -> [MasterKey] {
        [current, previous].compactMap { $0 }.filter { $0.id[...] == id }
    }
}

/// Shows its id at most, however it is printed.
final class MasterKey: Sendable, CustomReflectable {
    let bytes: [UInt8]
    /// Public: tells keys apart in envelopes, tells nothing about them.
    let id: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        id = Array(Digest.sha256(Array("sekisho master key id".utf8) + bytes).prefix(MasterKeys.idLength))
    }

    var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
