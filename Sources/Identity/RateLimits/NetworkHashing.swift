/// Keyed hashes of the networks in which accounts have sessions. The networks cannot be read or guessed from them.
public struct NetworkHashing: Sendable {
    /// Returns one hash of 16 bytes for each active master key, the current key's first; none if the client's address
    /// is unknown.
    public var hashes: @Sendable (_ network: ClientNetwork, _ realm: ID<Realm>) -> [[UInt8]]

    public init(hashes: @escaping @Sendable (ClientNetwork, ID<Realm>) -> [[UInt8]]) {
        self.hashes = hashes
    }
}

extension NetworkHashing {
    /// The network hash of a session that is opened now.
    func hash(of origin: RequestContext, in project: Project) -> [UInt8]? {
        hashes(origin.network, project.realm).first
    }
}
