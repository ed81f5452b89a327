/// Elements that wait in a tree of keys and are served round-robin at every level of it.
///
/// A path, which must not be the beginning of another one, names the keys of an element from the widest to the narrowest, e.g. `["2001:db8::/48", "2001:db8::/56"]`. The
/// widest keys take turns; inside a key, its narrower keys take turns. An owner of many narrow keys therefore gets no
/// more than one turn of the widest key that they share.
struct FairQueue<Element> {
    /// Elements whose path ends here, oldest first.
    private var elements: [Element] = []
    private var branches: [String: FairQueue] = [:]
    /// Keys of non-empty branches, next to be served first.
    private var turns: [String] = []
    /// Elements here and in all branches.
    private(set) var count = 0

    /// Adds `element` unless its part of the queue is full.
    ///
    /// The whole queue holds at most `capacity` elements, and each key half of that. Where the narrowest full part of
    /// the path has a branch with clearly more elements, its latest element makes room.
    ///
    /// - Returns: the element that is not in the queue afterwards: `element` itself, another one, or `nil`.
    mutating func admit(_ element: Element, at path: [String], capacity: Int) -> Element? {
        let limits = [capacity] + path.map { _ in capacity / 2 }
        let full = counts(at: path).enumerated().last { $0.element >= limits[$0.offset] }?.offset
        var displaced: Element?
        if let full {
            displaced = removeLatest(below: path[..<full], inFavourOf: path[full...])
            guard displaced != nil else { return element }
        }
        append(element, at: path[...])
        return displaced
    }

    /// - Returns: the element whose turn it is; `nil` if the queue is empty.
    mutating func popNext() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        guard elements.isEmpty else { return elements.removeFirst() }
        let key = turns.removeFirst()
        let next = branches[key]?.popNext()
        if !forgetIfEmpty(key) { turns.append(key) }
        return next
    }

    /// How many elements wait at each step of `path`, the whole queue first.
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

    /// - Parameter path: leads to the part of the queue that has to become smaller.
    private mutating func removeLatest(
        below path: ArraySlice<String>, inFavourOf newcomer: ArraySlice<String>
    ) -> Element? {
        guard let key = path.first else { return removeLatest(inFavourOf: newcomer) }
        return remove(from: key) { $0.removeLatest(below: path.dropFirst(), inFavourOf: newcomer) }
    }

    /// - Returns: `nil` if no branch has clearly more elements than the newcomer's, here or inside the newcomer's branch.
    private mutating func removeLatest(inFavourOf newcomer: ArraySlice<String>) -> Element? {
        guard let key = newcomer.first, let longest else { return nil }
        if longest.count > (branches[key]?.count ?? 0) + 1 { return remove(from: longest.key) { $0.removeLatest() } }
        return remove(from: key) { $0.removeLatest(inFavourOf: newcomer.dropFirst()) }
    }

    private mutating func removeLatest() -> Element? {
        if let longest, longest.count > elements.count { return remove(from: longest.key) { $0.removeLatest() } }
        guard let latest = elements.popLast() else { return nil }
        count -= 1
        return latest
    }

    /// Among equals the key whose turn comes last.
    private var longest: (key: String, count: Int)? {
        turns.reversed().map { ($0, branches[$0]?.count ?? 0) }.max { $0.1 < $1.1 }
    }

    private mutating func remove(from key: String, _ body: (inout FairQueue) -> Element?) -> Element? {
        guard branches[key] != nil, let removed = body(&branches[key, default: FairQueue()]) else { return nil }
        count -= 1
        if forgetIfEmpty(key) { turns.removeAll { $0 == key } }
        return removed
    }

    private mutating func forgetIfEmpty(_ key: String) -> Bool {
        guard branches[key]?.count == 0 else { return false }
        branches[key] = nil
        return true
    }
}
