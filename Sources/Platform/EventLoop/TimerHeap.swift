/// A binary heap of callbacks, ordered by deadline. A cancelled entry is removed only when no entry is earlier.
struct TimerHeap {
    private struct Entry {
        let deadline: ContinuousClock.Instant
        let id: UInt64
    }

    private var heap: [Entry] = []
    private var callbacks: [UInt64: () -> Void] = [:]
    private var nextID: UInt64 = 1

    /// When the earliest entry that is not cancelled is due; `nil` if there is none.
    var nextDeadline: ContinuousClock.Instant? {
        mutating get {
            while let first = heap.first, callbacks[first.id] == nil { removeFirst() }
            return heap.first?.deadline
        }
    }

    mutating func add(at deadline: ContinuousClock.Instant, _ callback: @escaping () -> Void) -> UInt64 {
        let id = nextID
        nextID += 1
        callbacks[id] = callback
        heap.append(Entry(deadline: deadline, id: id))
        siftUp(from: heap.count - 1)
        return id
    }

    mutating func cancel(_ id: UInt64) {
        callbacks[id] = nil
    }

    /// Removes and returns the earliest callback that is due at `now`; `nil` if none is due.
    mutating func popDue(at now: ContinuousClock.Instant) -> (() -> Void)? {
        guard let nextDeadline, nextDeadline <= now, let first = heap.first else { return nil }
        removeFirst()
        return callbacks.removeValue(forKey: first.id)
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown(from: 0)
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].deadline < heap[smallest].deadline { smallest = child }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
