/// Keyed hashes of the places where accounts have sessions. No address can be read or guessed from them.
public struct NetworkHashing: Sendable {
    /// Returns one hash of 16 bytes for each active master key, the current key's first; none if the address of the client
    /// is unknown.
    public var hashes: @Sendable (_ network: ClientNetwork, _ realm: ID<Realm>) -> [[UInt8]]

    public init(hashes: @escaping @Sendable (ClientNetwork, ID<Realm>) -> [[UInt8]]) {
        self.hashes = hashes
    }
}

extension Collaborators {
    /// The place of a session that is opened now.
    func place(of origin: RequestContext, in project: Project) -> [UInt8]? {
        places.hashes(origin.network, project.realm).first
    }
}
