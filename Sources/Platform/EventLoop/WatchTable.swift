/// The handlers of watched descriptors. The descriptor is the index in an array, so that a look-up needs no hashing.
struct WatchTable {
    private struct Entry {
        /// Increases with each watch of a descriptor, so that a late event of a closed descriptor finds no handler.
        var generation: UInt32 = 0
        var handler: ((Loop.Readiness) -> Void)?
    }

    private var entries: [Entry] = []

    /// - Returns: the watch, which has no handler until ``begin(_:_:)``.
    mutating func nextWatch(for descriptor: Int32) -> Loop.Watch {
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
