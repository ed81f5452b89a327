internal import Synchronization

/// Bounds the sum of the connections of several pools, usually those of a process.
///
/// Each pool may always have one connection. The pools share the others: a pool that needs another connection while
/// none is left waits for one of its own, or until a pool ends an idle one.
public final class ConnectionBudget: Sendable {
    private struct State {
        var shared: Int
        var taken = 0
    }

    /// Whether the number is a default, which may exceed what the server allows.
    public let isDefault: Bool
    private let pools: Int
    /// Guards the number of connections that the pools share.
    private let state: Mutex<State>

    /// - Parameter connections: the maximum number; each of the `pools` has one nevertheless.
    public init(connections: Int, pools: Int, isDefault: Bool = false) {
        self.isDefault = isDefault
        self.pools = pools
        state = Mutex(State(shared: max(0, connections - pools)))
    }

    /// The maximum number of connections.
    public var connections: Int { pools + state.withLock { $0.shared } }

    /// Lowers the maximum number. Connections beyond it stay open until they are idle.
    public func lower(to connections: Int) {
        state.withLock { $0.shared = min($0.shared, max(0, connections - pools)) }
    }

    /// Takes one of the shared connections.
    ///
    /// - Returns: `false` if none is left.
    func take() -> Bool {
        state.withLock { state in
            guard state.taken < state.shared else { return false }
            state.taken += 1
            return true
        }
    }

    func giveBack() {
        state.withLock { $0.taken -= 1 }
    }
}
