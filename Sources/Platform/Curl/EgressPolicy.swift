public import CSystem

/// The addresses that a transfer may connect to.
public enum EgressPolicy: Sendable {
    case everywhere
    /// This machine's own.
    case loopback
    /// See ``isPublic(_:)``.
    case publicAddresses

    /// Of numbers, not of names: to be asked about the address a connection is about to be made to.
    public func contains(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch self {
        case .everywhere: true
        case .loopback: Self.isLoopback(address)
        case .publicAddresses: Self.isPublic(address)
        }
    }
}
