internal import API
internal import Gateway
internal import Identity

extension Access {
    /// Accepts every API key. Treats callers with `Bearer owner` or an access token of Google Cloud as administrators,
    /// like Firebase's emulator. `serve` cannot use this function.
    ///
    /// - Parameters:
    ///   - findRealm: finds or creates a project; returns `nil` if the project can be neither found nor created.
    ///   - app: returns the app to which all requests to a project belong.
    static func anyCaller(
        _ findRealm: @escaping ProjectLookup, app: @escaping @Sendable (ID<Project>) async throws -> App
    ) -> Access {
        @Sendable func requireRealm(_ id: ID<Project>?) async throws -> Realm {
            guard let realm = try await findRealm(id) else { throw RequestRefusal.notFound }
            return realm
        }
        return Access { credential in
            guard credential.bearer.map(isAdministrative) ?? (credential.apiKey != nil) else {
                throw credential.bearer == nil ? AccessRefusal.missingCredentials : .bearerNotAccepted
            }
            let realm = try await requireRealm(nil)
            return CallingApp(realm: realm, app: try await app(realm.project.id))
        } administrator: { bearer, id in
            guard isAdministrative(bearer) else { throw AccessRefusal.bearerNotAccepted }
            return Administrator(realm: try await requireRealm(id), actor: .emulator, scopes: .all)
        }
    }

    /// Whether the token is `owner` or has the prefix of Google Cloud's access tokens, as in Firebase's emulator.
    private static func isAdministrative(_ bearer: String) -> Bool {
        bearer.lowercased() == "owner" || bearer.hasPrefix("ya29.")
    }
}
