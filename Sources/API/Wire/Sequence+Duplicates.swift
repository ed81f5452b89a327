extension Sequence where Element: Hashable {
    /// The elements in their order, without those that equal an earlier one.
    var withoutDuplicates: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }

    /// The first element that equals an earlier one; `nil` if all elements differ.
    var firstDuplicate: Element? {
        var seen: Set<Element> = []
        return first { !seen.insert($0).inserted }
    }
}
