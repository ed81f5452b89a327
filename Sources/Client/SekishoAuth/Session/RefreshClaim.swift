internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// States in the store that a process sends a refresh token to the gateway.
///
/// The gateway ends the session if a refresh token arrives long after its successor was used, because a thief could
/// have sent it. If several processes share a store, a request of one process can be delayed while another process
/// refreshes the tokens twice. Therefore a process uses a refresh token only when no other process may still send an
/// older one. Several processes may send the same token at once, because the gateway returns the same successor to
/// each.
struct RefreshClaim: Codable, Hashable, Sendable {
    /// Seconds after which a request with a refresh token fails.
    static let requestTimeout: TimeInterval = 20
    /// Seconds after which a claim expires. The request of the claim has then failed.
    static let lifetime: TimeInterval = 25

    /// ``AuthCore/claimOwner``.
    let owner: String
    let processID: Int32
    /// ``StoredSession/generation`` of the refresh token.
    let generation: Int
    /// ``AuthClock/uptime`` when the claim expires. All processes of a device have the same uptime.
    let expiresAt: TimeInterval

    init(owner: String, generation: Int, at uptime: TimeInterval, processID: Int32 = getpid()) {
        self.owner = owner
        self.generation = generation
        self.processID = processID
        expiresAt = uptime + Self.lifetime
    }

    /// Whether the request may still be sent. A process that has ended sends no requests.
    func isActive(at uptime: TimeInterval) -> Bool {
        // After a restart of the device, the uptime is shorter than when the claim was made.
        let remaining = expiresAt - uptime
        return remaining > 0 && remaining <= Self.lifetime && isProcessRunning
    }

    /// True also for a later process with the same ID.
    private var isProcessRunning: Bool { getpgid(processID) >= 0 || errno != ESRCH }
}
