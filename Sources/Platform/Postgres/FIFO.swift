/// A first-in, first-out queue. Usually, ``append(_:)`` and ``popFirst()`` move no other elements.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func prepend(_ element: Element) {
        elements.insert(element, at: head)
    }

    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        elements[head] = nil
        head += 1
        // Moves the remaining elements rarely, because that takes time in proportion to their number.
        if head == elements.count || head > 1024 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    func first(where condition: (Element) -> Bool) -> Element? {
        elements[head...].lazy.compactMap(\.self).first(where: condition)
    }

    mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
        let index = elements[head...].firstIndex { element in element.map(condition) ?? false }
        return index.flatMap { elements.remove(at: $0) }
    }

    func count(where condition: (Element) -> Bool) -> Int {
        elements[head...].count { element in element.map(condition) ?? false }
    }

    mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return elements[head...].compactMap(\.self)
    }
}
