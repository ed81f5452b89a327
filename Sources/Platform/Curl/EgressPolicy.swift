public import CSystem
internal import IPAddresses

/// The addresses that a transfer may connect to.
public enum EgressPolicy: Sendable {
    case everywhere
    /// This machine only.
    case loopback
    /// See ``IPAddress/isPublic``.
    case publicAddresses

    /// Whether a transfer may connect to this address. A check of the host name would not be enough, because the name
    /// can resolve to another address each time.
    public func allows(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch self {
        case .everywhere: true
        case .loopback: IPAddress(address)?.isLoopback ?? false
        case .publicAddresses: IPAddress(address)?.isPublic ?? false
        }
    }
}
