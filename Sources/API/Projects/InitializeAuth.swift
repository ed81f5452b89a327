internal import HTTP
internal import Identity

extension Endpoint {
    /// Does nothing: every project of the gateway can authenticate users from the start.
    static let initializeAuth = administrator(
        "initializeAuth", .post, "/v2/projects/{project}/identityPlatform:initializeAuth", needs: .config
    ) { _, _ in try .json(EmptyObject()) }
}
