internal import Identity

/// Limits the requests in flight of a process. Waiting senders get slots in first-in, first-out order.
actor EventSlots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var testing: Set<ID<Project>> = []

    init(count: Int) {
        free = count
    }

    func take() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }

    /// Takes a slot for a test event, without waiting.
    ///
    /// - Returns: `false` if no slot is free, or the project has a test in flight.
    func takeForTest(of project: ID<Project>) -> Bool {
        guard free > 0, testing.insert(project).inserted else { return false }
        free -= 1
        return true
    }

    func giveBackTest(of project: ID<Project>) {
        testing.remove(project)
        giveBack()
    }
}
