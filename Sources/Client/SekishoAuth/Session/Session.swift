internal import Foundation

/// A signed-in user as it is stored: the tokens and the known account data.
struct Session: Codable, Hashable, Sendable {
    var tokens: SessionTokens
    var profile: Profile
    var isAnonymous: Bool
    var tenantID: String?
    /// Present while a request that replaces the gateway's session is in progress, or its outcome is unknown.
    var resumptionKey: ResumptionKey?

    /// Keeps new tokens. A resumption key belongs to one session of the gateway.
    mutating func renew(_ new: SessionTokens) {
        if let key = resumptionKey, new.gatewaySession != tokens.gatewaySession || new.issuedAt > key.neededUntil {
            resumptionKey = nil
        }
        tokens = new
    }
}

/// What the gateway reports about an account.
struct Profile: Codable, Hashable, Sendable {
    var uid: String
    var email: String?
    var isEmailVerified = false
    var displayName: String?
    var photoURL: String?
    var phoneNumber: String?
    var identities: [ProviderProfile] = []
    /// Seconds since 1970.
    var createdAt: TimeInterval?
    /// Seconds since 1970.
    var lastSignInAt: TimeInterval?
    var hasPassword: Bool?
}

/// One sign-in method of an account, with the profile of its provider.
struct ProviderProfile: Codable, Hashable, Sendable {
    var providerID: String
    var uid: String
    var email: String?
    var displayName: String?
    var photoURL: String?
    var phoneNumber: String?
}

/// The item in the session store: a session, its format, and the instance of the library that it belongs to.
struct StoredSession: Codable, Sendable {
    /// Raised when older versions of the library cannot read the item. New optional members do not raise it.
    static let format = 1

    var format: Int
    /// The instance that wrote the item. See ``SessionKey``.
    var owner: String
    var session: Session

    init(_ session: Session, owner: String) {
        format = Self.format
        self.owner = owner
        self.session = session
    }

    /// - Returns: `nil` if the item is damaged or belongs to another instance.
    init?(decoding item: Data, owner: String) {
        // An item that cannot be read holds no session.
        guard let stored = try? JSONDecoder().decode(Self.self, from: item), stored.owner == owner else {
            return nil
        }
        self = stored
    }

    var encoded: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self)
        }
    }
}

/// Names the item of an instance, so that no session reaches another gateway, project or tenant.
struct SessionKey: Hashable, Sendable {
    /// Everything that distinguishes instances.
    let owner: String

    init(app: String, server: URL, apiKey: String, tenantID: String?) {
        owner = [app, server.absoluteString, apiKey, tenantID ?? ""].joined(separator: "\n")
    }

    /// A short name for files and keychain items (FNV-1a, 64 bits). ``StoredSession/owner`` detects collisions.
    var name: String {
        let hash = owner.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return "session-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
