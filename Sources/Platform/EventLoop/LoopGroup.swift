/// The loops of a process, usually one per core.
public struct LoopGroup: Sendable {
    public let loops: [Loop]

    /// - Throws: ``SystemError`` when the process is out of descriptors or threads.
    public init(count: Int) throws {
        precondition(count > 0, "a process needs a loop")
        loops = try (0..<count).map { try Loop(name: "loop-\($0)") }
    }

    /// Stops all loops; see ``Loop/stop()``.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}
