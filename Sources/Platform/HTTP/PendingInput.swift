/// Bytes that have arrived and belong to no request yet. Holds no memory while it is empty.
struct PendingInput {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        guard !more.isEmpty else { return }
        bytes.removeFirst(start)
        start = 0
        bytes.append(contentsOf: more)
    }

    /// Passes the bytes to `body`, which returns the number of bytes that it has consumed.
    ///
    /// - Returns: the remaining bytes.
    func consumed(by body: (UnsafeRawBufferPointer) -> Int) -> PendingInput {
        let used = bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        guard start + used < bytes.count else { return PendingInput() }
        var rest = self
        rest.start += used
        return rest
    }
}
