internal import IPAddresses
internal import Synchronization

/// The peer of an open connection.
struct Peer: Sendable {
    /// Numeric, without port.
    let address: String
    /// The networks that the connection is counted in, from the narrowest to the widest; empty if no limit
    /// applies.
    let networks: [IPNetwork]
}

/// Counts the open connections of a process, in total and by network, and decides which to accept. Shared by all loops.
final class ConnectionTable: Sendable {
    private struct State {
        var total = 0
        var byNetwork: [IPNetwork: Int] = [:]
        var rejectedAtNetworkLimit = 0
        var rejectedAtTotalLimit = 0
        var closedIdle = 0

        mutating func remove(_ peer: Peer) {
            total -= 1
            for network in peer.networks {
                let count = byNetwork[network, default: 0] - 1
                byNetwork[network] = count > 0 ? count : nil
            }
        }
    }

    private let limits: Limits
    // Protects the counts. Locked when a connection begins or ends, never for a request.
    private let state = Mutex(State())

    init(limits: Limits) {
        self.limits = limits
    }

    var total: Int { state.withLock { $0.total } }
    var rejectedAtNetworkLimit: Int { state.withLock { $0.rejectedAtNetworkLimit } }
    var rejectedAtTotalLimit: Int { state.withLock { $0.rejectedAtTotalLimit } }
    var closedIdle: Int { state.withLock { $0.closedIdle } }

    /// Whether fewer than a sixteenth of the allowed connections are free. Idle connections should then be closed.
    var isNearlyFull: Bool { total > limits.connections - max(1, limits.connections / 16) }

    /// Counts a new connection, and enforces the limit per network but not the total.
    ///
    /// - Returns: `nil` if the connection must be closed; otherwise the peer for ``keepWithinTotalLimit(_:)`` and
    ///   ``remove(_:)``.
    func admit(_ address: SocketAddress) -> Peer? {
        let text = address.withPointer { pointer, _ in SocketAddress.numericText(of: pointer) }
        let isLimited = limits.connectionsPerAddress != nil && !limits.isExempt(text)
        let peer = Peer(address: text, networks: isLimited ? address.networks : [])
        return state.withLock { state in
            guard hasRoom(for: peer, in: state) else {
                state.rejectedAtNetworkLimit += 1
                return nil
            }
            state.total += 1
            for network in peer.networks { state.byNetwork[network, default: 0] += 1 }
            return peer
        }
    }

    /// Enforces the limit of all connections, after idle connections have been closed. A rejected connection is no
    /// longer counted.
    ///
    /// - Returns: whether to keep the connection.
    func keepWithinTotalLimit(_ peer: Peer) -> Bool {
        state.withLock { state in
            guard state.total > limits.connections else { return true }
            state.remove(peer)
            state.rejectedAtTotalLimit += 1
            return false
        }
    }

    func remove(_ peer: Peer) {
        state.withLock { $0.remove(peer) }
    }

    /// Counts a connection that is closed because it was idle.
    func countClosedIdle() {
        state.withLock { $0.closedIdle += 1 }
    }

    /// Whether all networks of the peer are below their limits; see ``Limits/connectionsPerAddress``.
    private func hasRoom(for peer: Peer, in state: State) -> Bool {
        guard var limit = limits.connectionsPerAddress else { return true }
        for network in peer.networks {
            guard state.byNetwork[network, default: 0] < limit else { return false }
            limit *= 4
        }
        return true
    }
}
