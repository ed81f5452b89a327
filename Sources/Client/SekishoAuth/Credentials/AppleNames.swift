internal import Foundation

/// The names that Apple sent to the app and that the gateway has not stored yet.
///
/// Apple sends a user's name only at the first sign-in to the app. If the gateway does not get that sign-in, for
/// example because the network fails or the app is ended, the next credential of the same user has no name. The library
/// then adds the kept name.
struct AppleNames: Codable, Hashable, Sendable {
    /// The maximum number of names. The oldest name is removed first.
    static let limit = 8

    struct Entry: Codable, Hashable, Sendable {
        /// The claim `sub` of Apple's identity token.
        var appleID: String
        var name: PersonName
    }

    private(set) var entries: [Entry] = []

    func name(of appleID: String) -> PersonName? { entries.first { $0.appleID == appleID }?.name }

    /// Adds or replaces the name of a user. `nil` removes it.
    mutating func set(_ name: PersonName?, of appleID: String) {
        entries.removeAll { $0.appleID == appleID }
        if let name { entries.append(Entry(appleID: appleID, name: name)) }
        entries = entries.suffix(Self.limit)
    }
}

extension AuthCore {
    /// Returns the credential with the user's name: Apple's name, which is kept until ``forgetName(of:)``, or the name
    /// that was kept earlier.
    func keepingName(of credential: AuthCredential) -> AuthCredential {
        guard case .idp(var tokens) = credential.content, let appleID = Self.appleID(of: credential) else {
            return credential
        }
        if let name = tokens.name {
            changeNames { $0.set(name, of: appleID) }
            return credential
        }
        // If the store fails, the credential is used without a name.
        guard let name = try? storedNames().names.name(of: appleID) else { return credential }
        tokens.name = name
        return OAuthCredential(provider: credential.provider, .idp(tokens))
    }

    /// Removes the name of a credential that the gateway has accepted, because the gateway has stored the name.
    func forgetName(of credential: AuthCredential) {
        guard let appleID = Self.appleID(of: credential) else { return }
        changeNames { $0.set(nil, of: appleID) }
    }

    /// Returns the claim `sub` of Apple's identity token, or `nil` if the credential has no readable token of Apple.
    private static func appleID(of credential: AuthCredential) -> String? {
        guard credential.provider == AuthProviderID.apple.rawValue, case .idp(let tokens) = credential.content,
            let idToken = tokens.idToken
        else { return nil }
        // The gateway rejects a token that cannot be read.
        return try? IDTokenClaims(of: idToken).subject
    }

    private func storedNames() throws -> (names: AppleNames, item: Data?) {
        let item = try options.store.load(sessionKey.nameOfNames)
        // A damaged item counts as empty.
        let names = item.flatMap { try? JSONDecoder().decode(AppleNames.self, from: $0) }
        return (names ?? AppleNames(), item)
    }

    /// Changes the kept names. Ignores errors of the store, because a sign-in must not fail without the name.
    private func changeNames(_ change: (inout AppleNames) -> Void) {
        let key = sessionKey.nameOfNames
        // Another process can change the names at the same time.
        for _ in 0..<10 {
            guard let stored = try? storedNames() else { return }
            var names = stored.names
            change(&names)
            if names == stored.names { return }
            guard let new = try? JSONEncoder().encode(names) else { return }
            guard let item = stored.item else {
                try? options.store.save(new, for: key)
                return
            }
            if (try? options.store.replace(item, with: names.entries.isEmpty ? nil : new, for: key)) != false { return }
        }
    }
}
