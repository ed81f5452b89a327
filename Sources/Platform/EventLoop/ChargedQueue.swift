/// Elements with very different costs, in the order in which their payers have been charged least.
///
/// An element is charged to several payers at once, for example to a project and to a client network. A payer that was
/// charged for one expensive element waits until the others have been charged as much, however many elements it has.
/// Its other payers do not help: the payer of an element that was charged most determines when the element is served.
///
/// The functions examine all elements, so the capacity should be at most some hundreds.
public struct ChargedQueue<Element: Sendable>: Sendable {
    /// Who is charged for an element.
    public struct Charge: Sendable {
        /// Compared with the payers at the same position of other charges, for example projects with projects.
        let payers: [Payer]
        let cost: Int

        /// - Parameters:
        ///   - payers: of all elements, the first payer is of the same kind (for example a project), and so on.
        ///   - cost: at least 1, in any unit.
        public init(to payers: [String], cost: Int) {
            self.payers = payers.enumerated().map { Payer(kind: $0, name: $1) }
            self.cost = max(1, cost)
        }
    }

    struct Payer: Hashable {
        let kind: Int
        let name: String
    }

    private struct Entry {
        let element: Element
        let charge: Charge
    }

    /// After each such number of charged elements, all charges are halved, so that old charges matter less and less.
    private static var halvingPeriod: Int { 32 }

    /// Oldest first.
    private var entries: [Entry] = []
    /// What each payer was charged since the queue was last empty.
    private var charges: [Payer: Int] = [:]
    /// The number of elements that have been charged since the charges were last halved.
    private var chargedElements = 0

    public init() {}

    public var count: Int { entries.count }

    /// Adds `element`, unless there is no room for it.
    ///
    /// The whole queue holds at most `capacity` elements, and each payer at most half of that. If the queue or a payer
    /// of the new element is full, another element of all full payers must be displaced: the latest one of the payer
    /// with the most elements, if that payer has at least two elements more than each payer of the new element.
    ///
    /// - Returns: the rejected element: `element` itself or a displaced one; `nil` if no element was rejected.
    mutating func admit(_ element: Element, charge: Charge, capacity: Int) -> Element? {
        let full = charge.payers.filter { payer in count(of: payer) >= capacity / 2 }
        var displaced: Element?
        if entries.count >= capacity || !full.isEmpty {
            let limit = load(of: charge, without: full) + 1
            let candidates = entries.indices.filter { entries[$0].charge.payers.containsAll(full) }
            let loads = candidates.map { load(of: entries[$0].charge, without: full) }
            guard let highest = loads.max(), highest > limit, let latest = loads.lastIndex(of: highest) else {
                return element
            }
            displaced = entries.remove(at: candidates[latest]).element
        }
        entries.append(Entry(element: element, charge: charge))
        return displaced
    }

    /// Removes the next element, and charges its payers if `isCharged` returns true for it.
    ///
    /// - Returns: `nil` if the queue is empty.
    mutating func popNext(charging isCharged: (Element) -> Bool = { _ in true }) -> Element? {
        let priorities = entries.map { $0.charge.payers.map { charges[$0] ?? 0 }.sorted(by: >) }
        // `min(by:)` returns the first of equal elements, which is the oldest.
        guard let index = priorities.indices.min(by: { priorities[$0].lexicographicallyPrecedes(priorities[$1]) })
        else { return nil }
        let next = entries.remove(at: index)
        if isCharged(next.element) { add(next.charge) }
        // No other claimant waits, so earlier charges do not matter.
        if entries.isEmpty { charges = [:] }
        return next.element
    }

    private mutating func add(_ charge: Charge) {
        for payer in charge.payers { charges[payer, default: 0] += charge.cost }
        chargedElements += 1
        guard chargedElements == Self.halvingPeriod else { return }
        chargedElements = 0
        charges = charges.mapValues { $0 / 2 }.filter { $0.value > 0 }
    }

    private func count(of payer: Payer) -> Int { entries.count { $0.charge.payers.contains(payer) } }

    /// The number of elements of the payer with the most elements.
    private func load(of charge: Charge, without excluded: [Payer]) -> Int {
        charge.payers.filter { !excluded.contains($0) }.map(count(of:)).max() ?? 0
    }
}

extension ChargedQueue: WorkQueue where Element == WorkItem {
    public mutating func admit(_ item: WorkItem, for charge: Charge, capacity: Int) -> WorkItem? {
        admit(item, charge: charge, capacity: capacity)
    }

    /// Abandoned work does not run, so it is not charged.
    public mutating func popNext() -> WorkItem? {
        popNext { $0.isAwaited() }
    }
}

extension Array where Element: Equatable {
    fileprivate func containsAll(_ others: [Element]) -> Bool { others.allSatisfy(contains) }
}
