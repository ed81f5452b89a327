/// The keys that encrypt secrets at rest: the current one and, during a rotation, the previous one.
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

    /// Returns the keys with this ID: usually one or none, but two if the short IDs of both keys are equal by chance.
    func keys(withID id: ArraySlice<UInt8>) -> [MasterKey] {
        [current, previous].compactMap { $0 }.filter { $0.id[...] == id }
    }
}

/// A master key. Reflection shows only its ID.
final class MasterKey: Sendable, CustomReflectable {
    let bytes: [UInt8]
    /// Identifies the key in the header of each ciphertext. Not secret, because it does not reveal the key.
    let id: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        id = Array(Digest.sha256(Array("sekisho master key id".utf8) + bytes).prefix(MasterKeys.idLength))
    }

    var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
