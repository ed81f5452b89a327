/// The responses and results of flows. A flow is identified by the hash of its state.
public protocol AuthorizationFlowStore: Sendable {
    /// Keeps what a provider posted. Later responses to the same flow are ignored.
    func keep(_ response: String, of flow: StoredFlow) async throws

    /// Claims a flow, so that its response is processed once.
    ///
    /// - Parameter hasResponse: whether the flow must have a kept response.
    /// - Returns: `nil` if the flow was claimed before, or lacks its response; otherwise the kept response.
    func claim(_ flow: StoredFlow, hasResponse: Bool) async throws -> ClaimedFlow?

    /// Gives a claimed flow back, because the provider could not be reached.
    func release(_ flow: StoredFlow) async throws

    /// Removes what is kept of a claimed flow that has failed. Its response cannot be processed again.
    func end(_ flow: StoredFlow) async throws

    /// Keeps a refresh token of Apple until a sign-in uses it. If no sign-in does before it expires, a worker keeps it for
    /// a linked identity, and otherwise revokes it.
    func keep(_ token: SealedCode, in realm: ID<Realm>, at now: Instant) async throws

    /// Keeps the result of a claimed flow for the client that presents the grant and the session ID.
    func complete(_ flow: StoredFlow, with result: String, for grant: GrantKey, until end: Instant) async throws

    /// - Returns: the result; `nil` unless everything matches and the grant has not expired.
    func result(for grant: GrantKey, at now: Instant) async throws -> String?
}

/// The row of a flow.
public struct StoredFlow: Sendable {
    /// SHA-256 of the state.
    public let hash: [UInt8]
    public let realm: ID<Realm>
    /// The state is not valid from then on.
    public let expiresAt: Instant
}

public struct ClaimedFlow: Sendable {
    public let response: String?

    public init(response: String?) {
        self.response = response
    }
}

/// What a client presents for a result, and whose client it is.
public struct GrantKey: Sendable {
    /// SHA-256 of the grant.
    public let grantHash: [UInt8]
    /// SHA-256 of the session ID.
    public let sessionHash: [UInt8]
    public let app: ID<App>
    public let realm: ID<Realm>
}
