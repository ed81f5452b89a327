internal import Synchronization

/// Limits the bytes of request bodies that a process holds at one time. One for all loops.
///
/// A body is counted with its whole length from the moment the server begins to read it until its handler has ended.
final class BodyBudget: Sendable {
    /// One body may have at most the free bytes divided by this number. When large bodies are rejected, small bodies
    /// are thus still accepted, so that sign-ins succeed during imports.
    private static let freeBytesDivisor = 4

    private let capacity: Int
    private let reservedBytes = Atomic(0)
    private let rejectedBodies = Atomic(0)

    init(bytes: Int) {
        capacity = bytes
    }

    var reserved: Int { reservedBytes.load(ordering: .relaxed) }

    /// The number of bodies that were rejected because not enough bytes were free.
    var rejections: Int { rejectedBodies.load(ordering: .relaxed) }

    /// - Returns: whether `bytes` were reserved; if so, the caller must release them.
    func reserve(_ bytes: Int) -> Bool {
        guard bytes > 0 else { return true }
        var reserved = reserved
        while bytes <= (capacity - reserved) / Self.freeBytesDivisor {
            let (isDone, current) = reservedBytes.weakCompareExchange(
                expected: reserved, desired: reserved + bytes, ordering: .relaxed)
            if isDone { return true }
            reserved = current
        }
        rejectedBodies.add(1, ordering: .relaxed)
        return false
    }

    func release(_ bytes: Int) {
        guard bytes > 0 else { return }
        reservedBytes.subtract(bytes, ordering: .relaxed)
    }
}
