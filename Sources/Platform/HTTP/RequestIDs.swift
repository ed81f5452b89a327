internal import CSystem
internal import Encoding

/// Generates request IDs. One system call provides the randomness for sixteen of them.
struct RequestIDs {
    private static let batch = 256

    private var random = [UInt8](repeating: 0, count: batch)
    private var used = batch

    mutating func next() -> String {
        if used == Self.batch {
            precondition(getentropy(&random, Self.batch) == 0, "getentropy failed")
            used = 0
        }
        defer { used += 16 }
        return Hexadecimal.encode(random[used..<used + 16])
    }
}
