public import Identity

/// Whom a request of the client API speaks for: one app of one project.
public struct Client: Sendable {
    public let project: Project
    public let app: App

    public init(project: Project, app: App) {
        self.project = project
        self.app = app
    }
}

/// What a request showed. Nothing in it has been checked; an empty value counts as not shown.
public struct ClientCredential: Sendable {
    public let apiKey: String?
    public let bearer: Secret?

    public init(apiKey: String?, bearer: Secret?) {
        self.apiKey = apiKey
        self.bearer = bearer
    }
}

/// Decides who may use the client API.
public struct Access: Sendable {
    /// Throws ``WireError``; any other error is ours.
    public var client: @Sendable (ClientCredential) async throws -> Client

    public init(client: @escaping @Sendable (ClientCredential) async throws -> Client) {
        self.client = client
    }

    /// API keys, and nothing else.
    ///
    /// - Parameter lookup: is asked only about text that can be a key.
    public static func keys(lookup: @escaping @Sendable (String) async throws -> Client?) -> Access {
        Access { credential in
            guard credential.bearer == nil else { throw WireError.invalidBearer }
            guard let key = credential.apiKey else { throw WireError.missingAPIKey }
            guard canBeKey(key), let client = try await lookup(key) else { throw WireError.unknownAPIKey }
            return client
        }
    }

    private static func canBeKey(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
