internal import Foundation

/// The stored state of a signed-in user: the tokens and the account's profile.
struct Session: Codable, Hashable, Sendable {
    var tokens: SessionTokens
    var profile: Profile
    var isAnonymous: Bool
    var tenantID: String?
    /// Present while a request that replaces the gateway's session is in progress, or its outcome is unknown.
    var resumptionKey: ResumptionKey?

    /// Replaces the tokens. Removes the resumption key if the tokens are of another session, or if the gateway no
    /// longer accepts the request that the key was made for.
    mutating func replaceTokens(with new: SessionTokens) {
        if let key = resumptionKey, new.sessionID != tokens.sessionID || new.issuedAt > key.neededUntil {
            resumptionKey = nil
        }
        tokens = new
    }

    /// Replaces the tokens with those of a response, unless another process has replaced them since the request with
    /// newer tokens of the same gateway session.
    ///
    /// - Parameter idToken: the ID token of the request.
    mutating func adopt(_ new: SessionTokens, since idToken: String) {
        if tokens.idToken != idToken, let sessionID = tokens.sessionID, sessionID == new.sessionID { return }
        replaceTokens(with: new)
    }
}

/// The profile of an account, as the operation `lookUpOwnAccount` returns it.
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
    /// `nil` if there are none, or if an earlier version of the library stored the profile.
    var passkeys: [PasskeyProfile]?
    /// As ``passkeys``.
    var factors: [FactorProfile]?

    /// Whether the account has an email address, a phone number, a passkey or a linked provider. An anonymous account
    /// has none.
    var hasCredential: Bool {
        email != nil || phoneNumber != nil || !identities.isEmpty || passkeys?.isEmpty == false
    }
}

/// A passkey of an account.
struct PasskeyProfile: Codable, Hashable, Sendable {
    /// In base64url.
    var credentialID: String
    var name: String
    /// Seconds since 1970.
    var createdAt: TimeInterval?
    /// Seconds since 1970.
    var lastUsedAt: TimeInterval?
    var isBackedUp: Bool
}

/// A second factor of an account.
struct FactorProfile: Codable, Hashable, Sendable {
    var uid: String
    var displayName: String?
    /// Seconds since 1970.
    var enrolledAt: TimeInterval
    /// `nil` for a one-time password.
    var phoneNumber: String?
}

/// A linked provider of an account, with the profile that it sent.
struct ProviderProfile: Codable, Hashable, Sendable {
    var providerID: String
    var uid: String
    var email: String?
    var displayName: String?
    var photoURL: String?
    var phoneNumber: String?
}

/// The item in the session store: a session, the version of the item's format, and the owner (the app, gateway, API key
/// and tenant).
struct StoredSession: Codable, Sendable {
    /// The version of the format. A new optional member does not change it.
    static let format = 1

    /// The member that items of every format have.
    private struct Header: Decodable {
        let format: Int
    }

    var format: Int
    /// ``SessionKey/owner``: the app, gateway, API key and tenant that the session belongs to.
    var owner: String
    var session: Session
    /// How often the refresh token was replaced in this item (`nil`: never).
    var generation: Int?
    /// The refresh tokens that processes are sending to the gateway.
    var refreshClaims: [RefreshClaim]?

    init(_ session: Session, of key: SessionKey, generation: Int = 0, refreshClaims: [RefreshClaim] = []) {
        format = Self.format
        owner = key.owner
        self.session = session
        self.generation = generation
        self.refreshClaims = refreshClaims.isEmpty ? nil : refreshClaims
    }

    /// Decodes an item of the session store.
    ///
    /// - Throws: ``SessionStoreError/failed(_:)`` if the item has another format, for example because a later version
    ///   of the app wrote it. The caller must keep the item, because it is the session of that version.
    /// - Returns: `nil` if the item is damaged or belongs to another key.
    init?(decoding item: Data, of key: SessionKey) throws {
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: item) else { return nil }
        guard header.format == Self.format else {
            throw SessionStoreError.failed("expected an item of format \(Self.format), got format \(header.format)")
        }
        guard let stored = try? decoder.decode(Self.self, from: item), stored.owner == key.owner else { return nil }
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

/// The key of an ``Auth`` object's item in the session store. The key differs by app, gateway, API key and tenant, so
/// that the tokens of one gateway, project or tenant are never sent to another.
struct SessionKey: Hashable, Sendable {
    /// The app, gateway, API key and tenant, one per line. They own the item.
    let owner: String

    init(app: String, server: URL, apiKey: String, tenantID: String?) {
        owner = [app, server.absoluteString, apiKey, tenantID ?? ""].joined(separator: "\n")
    }

    /// The name of the session's file or keychain item. ``StoredSession/owner`` detects collisions of the hash.
    var name: String { "session-" + hash }

    /// The name of the file or keychain item with ``AppleNames``.
    var nameOfNames: String { "names-" + hash }

    /// The hash of ``owner`` (FNV-1a, 64 bits).
    private var hash: String {
        let hash = owner.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
