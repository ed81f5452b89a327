internal import Foundation

/// A value that only one thread at a time can read or change.
///
/// The standard library's `Mutex` requires newer systems than this library supports.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked where Value: Sendable {
    /// A copy of the value.
    var current: Value { withLock { $0 } }
}
