internal import Synchronization

/// Limits the bytes of request bodies in the memory of a process. All event loops share one budget.
///
/// The whole length of a body is reserved before the server reads the body. The reservation ends when the handler ends,
/// or when the connection ends before the body is complete.
final class BodyBudget: Sendable {
    /// The size of one body is at most the number of free bytes divided by this number. Small bodies are thus still
    /// accepted when large bodies are already rejected, so that sign-ins succeed during imports.
    private static let freeBytesDivisor = 4

    private let capacity: Int
    private let reservedBytes = Atomic(0)
    private let rejectedBodies = Atomic(0)

    init(bytes: Int) {
        capacity = bytes
    }

    /// The number of reserved bytes.
    var reserved: Int { reservedBytes.load(ordering: .relaxed) }

    /// The number of bodies that were rejected because too few bytes were free.
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
