internal import Synchronization

/// Tells all that is under way to end.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isMade: Bool { flag.load(ordering: .relaxed) }

    func make() {
        flag.store(true, ordering: .relaxed)
    }
}
