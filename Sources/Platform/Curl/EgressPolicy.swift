public import CSystem
internal import IPAddresses

/// The addresses that a transfer may connect to.
public enum EgressPolicy: Sendable {
    case everywhere
    /// This machine only.
    case loopback
    /// See ``IPAddress/isPublic``.
    case publicAddresses

    /// Checks the address of a connection that is about to be made. A host name is never enough: it can resolve
    /// differently each time.
    public func allows(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch self {
        case .everywhere: true
        case .loopback: IPAddress(address)?.translated.isLoopback ?? false
        case .publicAddresses: IPAddress(address)?.isPublic ?? false
        }
    }
}
