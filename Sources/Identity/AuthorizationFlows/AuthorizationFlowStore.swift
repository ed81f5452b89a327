/// Stores the responses and results of flows. A flow is identified by the hash of its state.
public protocol AuthorizationFlowStore: Sendable {
    /// Stores the response that a provider posted. Later responses to the same flow are ignored.
    func storeResponse(_ response: String, of flow: StoredFlow) async throws

    /// Claims a flow, so that its response is processed once.
    ///
    /// - Parameter requiresResponse: whether the flow must have a stored response.
    /// - Returns: `nil` if the flow was claimed before, or has no stored response although it must have one.
    func claim(_ flow: StoredFlow, requiresResponse: Bool) async throws -> ClaimedFlow?

    /// Releases a claimed flow, because the provider could not be reached.
    func release(_ flow: StoredFlow) async throws

    /// Removes the stored response of a claimed flow that has failed. The response cannot be processed again.
    func removeResponse(of flow: StoredFlow) async throws

    /// Stores Apple's refresh token until a sign-in uses it. If no sign-in uses the token before it expires, a worker
    /// takes over. The worker stores the token for the identity if an account has the identity. Otherwise it revokes or
    /// deletes the token.
    func storeToken(_ token: SealedAppleToken, in realm: ID<Realm>, at now: Instant) async throws

    /// Stores the result of a claimed flow for the client that presents the grant and the session ID (see
    /// ``FlowResultSecrets``).
    func complete(_ flow: StoredFlow, with result: String, for grant: FlowResultKey, until end: Instant) async throws

    /// - Returns: the result; `nil` if a part of the key does not match, or the grant was used or has expired.
    func result(for grant: FlowResultKey, at now: Instant) async throws -> String?
}

/// The row of a flow.
public struct StoredFlow: Sendable {
    /// SHA-256 of the state.
    public let hash: [UInt8]
    public let realm: ID<Realm>
    /// When the state expires.
    public let expiresAt: Instant
}

/// A flow that the caller has claimed.
public struct ClaimedFlow: Sendable {
    /// The stored response that the provider posted, encrypted; `nil` if there is none.
    public let response: String?

    public init(response: String?) {
        self.response = response
    }
}

/// The hashes of the secrets that a client presents for a result (see ``FlowResultSecrets``), with the app and the
/// realm of the client.
public struct FlowResultKey: Sendable {
    /// SHA-256 of the grant.
    public let grantHash: [UInt8]
    /// SHA-256 of the session ID.
    public let sessionHash: [UInt8]
    public let app: ID<App>
    public let realm: ID<Realm>
}
