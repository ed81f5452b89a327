internal import Synchronization

/// The client's end of an open connection.
struct Peer: Sendable {
    /// Numeric, without port.
    let address: String
    /// What the connection is counted by, besides the total; narrowest first.
    let prefixes: [AddressPrefix]
}

/// Counts the open connections of a process, in total and by place, and decides which to accept. One for all loops.
final class ConnectionTable: Sendable {
    private struct State {
        var total = 0
        var byPrefix: [AddressPrefix: Int] = [:]
        var rejectedByAddress = 0
        var rejectedByTotal = 0
        var closedIdle = 0

        mutating func remove(_ peer: Peer) {
            total -= 1
            for prefix in peer.prefixes {
                let count = byPrefix[prefix, default: 0] - 1
                byPrefix[prefix] = count > 0 ? count : nil
            }
        }
    }

    private let limits: Limits
    // Guards the counts; taken when a connection begins and when it ends, never for a request.
    private let state = Mutex(State())

    init(limits: Limits) {
        self.limits = limits
    }

    var total: Int { state.withLock { $0.total } }
    var rejectedByAddress: Int { state.withLock { $0.rejectedByAddress } }
    var rejectedByTotal: Int { state.withLock { $0.rejectedByTotal } }
    var closedIdle: Int { state.withLock { $0.closedIdle } }

    /// Whether idle connections should make room for new ones.
    var isNearlyFull: Bool { total > limits.connections - max(1, limits.connections / 16) }

    /// Counts a new connection, whatever the total.
    ///
    /// - Returns: `nil` if it has to be closed; otherwise what ``keeps(_:)`` and ``remove(_:)`` need.
    func admit(_ address: SocketAddress) -> Peer? {
        let text = address.withPointer { pointer, _ in SocketAddress.numeric(pointer) }
        let isLimited = limits.connectionsPerAddress != nil && !limits.isExempt(text)
        let peer = Peer(address: text, prefixes: isLimited ? address.prefixes : [])
        return state.withLock { state in
            guard hasRoom(for: peer, in: state) else {
                state.rejectedByAddress += 1
                return nil
            }
            state.total += 1
            for prefix in peer.prefixes { state.byPrefix[prefix, default: 0] += 1 }
            return peer
        }
    }

    /// Decides by the total, once idle connections have made room. A connection that has to be closed is not counted
    /// any more.
    func keeps(_ peer: Peer) -> Bool {
        state.withLock { state in
            guard state.total > limits.connections else { return true }
            state.remove(peer)
            state.rejectedByTotal += 1
            return false
        }
    }

    func remove(_ peer: Peer) {
        state.withLock { $0.remove(peer) }
    }

    /// Removes a connection that is being closed because it was idle.
    func removeIdle(_ peer: Peer) {
        state.withLock { state in
            state.remove(peer)
            state.closedIdle += 1
        }
    }

    private func hasRoom(for peer: Peer, in state: State) -> Bool {
        guard var limit = limits.connectionsPerAddress else { return true }
        for prefix in peer.prefixes {
            guard state.byPrefix[prefix, default: 0] < limit else { return false }
            limit *= 4
        }
        return true
    }
}
