internal import CSystem

/// Makes request ids, asking the kernel for randomness once per sixteen.
struct RequestIDs {
    private static let batch = 256

    private var random = [UInt8](repeating: 0, count: batch)
    private var used = batch

    mutating func next() -> String {
        if used == Self.batch {
            precondition(getentropy(&random, Self.batch) == 0, "the kernel has no randomness")
            used = 0
        }
        defer { used += 16 }
        return String(unsafeUninitializedCapacity: 32) { text in
            for (index, byte) in random[used..<used + 16].enumerated() {
                text.initializeElement(at: 2 * index, to: Self.digit(byte >> 4))
                text.initializeElement(at: 2 * index + 1, to: Self.digit(byte & 0xF))
            }
            return 32
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
