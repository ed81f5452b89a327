internal import Identity

/// Limits the requests in flight of a process, and those of one project, so that no project holds all slots. Waiting
/// senders get slots in first-in, first-out order, except those of a project at its limit.
actor EventSlots {
    private let projectLimit: Int
    private var free: Int
    private var held: [ID<Project>: Int] = [:]
    private var waiting: [(project: ID<Project>, continuation: CheckedContinuation<Void, Never>)] = []
    private var testing: Set<ID<Project>> = []

    init(count: Int, perProject projectLimit: Int) {
        free = count
        self.projectLimit = projectLimit
    }

    func take(for project: ID<Project>) async {
        if canTake(project) { hold(project) } else { await withCheckedContinuation { waiting.append((project, $0)) } }
    }

    func giveBack(of project: ID<Project>) {
        free += 1
        held[project, default: 0] -= 1
        if held[project] == 0 { held[project] = nil }
        guard let next = waiting.firstIndex(where: { canTake($0.project) }) else { return }
        let sender = waiting.remove(at: next)
        hold(sender.project)
        sender.continuation.resume()
    }

    /// Takes a slot for a test event, without waiting.
    ///
    /// - Returns: `false` if no slot is free, or the project has a test in flight.
    func takeForTest(of project: ID<Project>) -> Bool {
        guard canTake(project), testing.insert(project).inserted else { return false }
        hold(project)
        return true
    }

    func giveBackTest(of project: ID<Project>) {
        testing.remove(project)
        giveBack(of: project)
    }

    private func canTake(_ project: ID<Project>) -> Bool { free > 0 && held[project, default: 0] < projectLimit }

    private func hold(_ project: ID<Project>) {
        free -= 1
        held[project, default: 0] += 1
    }
}
