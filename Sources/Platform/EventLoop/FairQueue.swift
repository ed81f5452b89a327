/// Elements in a tree of keys, served round-robin at every level.
///
/// A path contains the keys of an element from the widest to the narrowest, for example `["2001:db8::/48",
/// "2001:db8::/56"]`. No path may be a prefix of another. The widest keys are served in turn, and so are the narrower
/// keys within each of them. A client whose many narrow keys share one widest key is therefore served no more often
/// than a client with a single narrow key.
public struct FairQueue<Element: Sendable>: Sendable {
    /// Elements whose path ends here, oldest first.
    private var elements: [Element] = []
    private var branches: [String: FairQueue] = [:]
    /// Keys of non-empty branches; the first is served next.
    private var turns: [String] = []
    /// Number of elements here and in all branches.
    public private(set) var count = 0

    public init() {}

    /// Adds `element`, unless the queue or a key of `path` is full and no other element can be displaced.
    ///
    /// The whole queue holds at most `capacity` elements, and each key at most half of that. If the whole queue or a
    /// key of `path` is full, the narrowest full part must lose an element. Its longest branch loses the element, if
    /// that branch has at least two elements more than the branch of the new element. Otherwise, the same rule applies
    /// inside the branch of the new element. Inside the branch that loses an element, the longest branch at each level
    /// is followed to its end, and the latest element there is displaced.
    ///
    /// - Returns: the rejected element: `element` itself or a displaced one; `nil` if no element was rejected.
    mutating func admit(_ element: Element, at path: [String], capacity: Int) -> Element? {
        let limits = [capacity] + path.map { _ in capacity / 2 }
        let narrowestFull = counts(at: path).enumerated().last { $0.element >= limits[$0.offset] }?.offset
        var displaced: Element?
        if let narrowestFull {
            displaced = removeLatest(below: path[..<narrowestFull], inFavourOf: path[narrowestFull...])
            guard displaced != nil else { return element }
        }
        append(element, at: path[...])
        return displaced
    }

    /// - Returns: the next element; `nil` if the queue is empty.
    public mutating func popNext() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        guard elements.isEmpty else { return elements.removeFirst() }
        let key = turns.removeFirst()
        let next = branches[key]?.popNext()
        if !removeBranchIfEmpty(key) { turns.append(key) }
        return next
    }

    /// The number of elements at each step of `path`, beginning with the whole queue.
    private func counts(at path: [String]) -> [Int] {
        var (branch, counts): (FairQueue?, [Int]) = (self, [count])
        for key in path {
            branch = branch?.branches[key]
            counts.append(branch?.count ?? 0)
        }
        return counts
    }

    private mutating func append(_ element: Element, at path: ArraySlice<String>) {
        count += 1
        guard let key = path.first else { return elements.append(element) }
        if branches[key] == nil { turns.append(key) }
        branches[key, default: FairQueue()].append(element, at: path.dropFirst())
    }

    /// - Parameters:
    ///   - path: the part of the queue that must become smaller.
    ///   - newPath: the keys of the new element within that part.
    private mutating func removeLatest(
        below path: ArraySlice<String>, inFavourOf newPath: ArraySlice<String>
    ) -> Element? {
        guard let key = path.first else { return removeLatest(inFavourOf: newPath) }
        return remove(from: key) { $0.removeLatest(below: path.dropFirst(), inFavourOf: newPath) }
    }

    /// - Returns: `nil` if at no level of `newPath` there is a branch with at least two elements more than the branch
    ///   of the new element.
    private mutating func removeLatest(inFavourOf newPath: ArraySlice<String>) -> Element? {
        guard let key = newPath.first, let longest else { return nil }
        if longest.count > (branches[key]?.count ?? 0) + 1 { return remove(from: longest.key) { $0.removeLatest() } }
        return remove(from: key) { $0.removeLatest(inFavourOf: newPath.dropFirst()) }
    }

    private mutating func removeLatest() -> Element? {
        if let longest, longest.count > elements.count { return remove(from: longest.key) { $0.removeLatest() } }
        guard let latest = elements.popLast() else { return nil }
        count -= 1
        return latest
    }

    /// The longest branch; among branches of equal length, the one that is served last.
    private var longest: (key: String, count: Int)? {
        turns.reversed().map { ($0, branches[$0]?.count ?? 0) }.max { $0.1 < $1.1 }
    }

    private mutating func remove(from key: String, _ body: (inout FairQueue) -> Element?) -> Element? {
        guard branches[key] != nil, let removed = body(&branches[key, default: FairQueue()]) else { return nil }
        count -= 1
        if removeBranchIfEmpty(key) { turns.removeAll { $0 == key } }
        return removed
    }

    private mutating func removeBranchIfEmpty(_ key: String) -> Bool {
        guard branches[key]?.count == 0 else { return false }
        branches[key] = nil
        return true
    }
}

extension FairQueue: WorkQueue where Element == WorkItem {
    public mutating func admit(_ item: WorkItem, for path: [String], capacity: Int) -> WorkItem? {
        admit(item, at: path, capacity: capacity)
    }
}
