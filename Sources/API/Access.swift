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
    /// What stood behind `Bearer`.
    public let bearer: String?

    public init(apiKey: String?, bearer: String?) {
        self.apiKey = apiKey
        self.bearer = bearer
    }
}

/// Why a request was turned away before any operation saw it.
public enum AccessRefusal: Error, Hashable {
    case nothingShown
    case unknownKey
    case bearerNotAccepted
}

/// Decides who may use the client API.
public struct Access: Sendable {
    /// Throws ``AccessRefusal``; any other error is ours.
    public var client: @Sendable (ClientCredential) async throws -> Client

    public init(client: @escaping @Sendable (ClientCredential) async throws -> Client) {
        self.client = client
    }

    /// API keys, and nothing else.
    ///
    /// - Parameter lookup: is asked only about text that can be a key.
    public static func keys(lookup: @escaping @Sendable (String) async throws -> Client?) -> Access {
        Access { credential in
            guard credential.bearer == nil else { throw AccessRefusal.bearerNotAccepted }
            guard let key = credential.apiKey else { throw AccessRefusal.nothingShown }
            guard canBeKey(key), let client = try await lookup(key) else { throw AccessRefusal.unknownKey }
            return client
        }
    }

    private static func canBeKey(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
