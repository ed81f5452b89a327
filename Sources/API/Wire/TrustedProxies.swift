extension [Network] {
    /// - Parameter address: numeric, without port.
    public func contain(_ address: String) -> Bool {
        IPAddress(address).map { address in contains { $0.contains(address) } } ?? false
    }
}
