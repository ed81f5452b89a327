internal import Synchronization

/// A flag that cancels all deliveries of an ``SMTPClient``. Any thread may set it.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() {
        flag.store(true, ordering: .relaxed)
    }
}
