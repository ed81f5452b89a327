internal import CSystem

/// A named POSIX thread that knows whether it is the current one.
final class LoopThread: @unchecked Sendable {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private var handle = pthread_t()

    /// - Throws: ``SystemError`` if the system cannot create a thread.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let code = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                shim_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", code: code)
        }
    }

    var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

    func join() {
        pthread_join(handle, nil)
    }
}

/// A binary heap of callbacks, ordered by deadline. Cancelled entries are removed when they become due.
struct TimerHeap {
    private struct Entry {
        let deadline: ContinuousClock.Instant
        let id: UInt64
    }

    private var heap: [Entry] = []
    private var callbacks: [UInt64: () -> Void] = [:]
    private var nextID: UInt64 = 1

    /// When the earliest entry that is not cancelled is due; `nil` if there is none.
    var next: ContinuousClock.Instant? {
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

    /// Removes the earliest callback that is due at `now`.
    mutating func popDue(at now: ContinuousClock.Instant) -> (() -> Void)? {
        guard let next, next <= now, let first = heap.first else { return nil }
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

/// The handlers of watched descriptors, in an array by descriptor, so that a look-up needs no hashing.
struct WatchTable {
    private struct Entry {
        /// Increases with each watch of a descriptor, so that a late event of a closed descriptor finds no handler.
        var generation: UInt32 = 0
        var handler: ((Loop.Readiness) -> Void)?
    }

    private var entries: [Entry] = []

    /// - Returns: the watch, which has no handler until ``begin(_:_:)``.
    mutating func next(for descriptor: Int32) -> Loop.Watch {
        let missing = Int(descriptor) + 1 - entries.count
        if missing > 0 { entries.append(contentsOf: repeatElement(Entry(), count: missing)) }
        return Loop.Watch(descriptor: descriptor, generation: entries[Int(descriptor)].generation &+ 1)
    }

    mutating func begin(_ watch: Loop.Watch, _ handler: @escaping (Loop.Readiness) -> Void) {
        entries[Int(watch.descriptor)] = Entry(generation: watch.generation, handler: handler)
    }

    /// - Returns: whether the watch existed.
    mutating func end(_ watch: Loop.Watch) -> Bool {
        guard handler(of: watch) != nil else { return false }
        entries[Int(watch.descriptor)].handler = nil
        return true
    }

    func handler(of watch: Loop.Watch) -> ((Loop.Readiness) -> Void)? {
        let index = Int(watch.descriptor)
        guard entries.indices.contains(index), entries[index].generation == watch.generation else { return nil }
        return entries[index].handler
    }
}
