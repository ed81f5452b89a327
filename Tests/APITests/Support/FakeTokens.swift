import Identity

/// Tokens that say in plain words what they stand for: `id.<account>.<session>` and `refresh.<session>.<counter>`.
struct FakeTokens: TokenAuthority {
    func idToken(for account: Account, session: Session, in project: Project, at now: Instant) async throws -> String {
        "id.\(account.id).\(session.id)"
    }

    func refreshToken(_ claim: RefreshClaim, in project: Project) async throws -> String {
        "refresh.\(claim.session).\(claim.counter)"
    }

    func sessionCookie(
        from idToken: String, lasting lifetime: Duration, in project: Project, at now: Instant
    ) async throws -> String {
        "cookie.\(idToken).\(lifetime.components.seconds)"
    }

    func read(idToken: String, in project: Project, at now: Instant) async throws -> IDTokenClaim {
        let parts = idToken.split(separator: ".").map(String.init)
        guard parts.count == 3, parts[0] == "id" else { throw TokenRefusal.invalidIDToken }
        return IDTokenClaim(account: ID(parts[1]), session: ID(parts[2]))
    }

    func read(refreshToken: String, in project: Project) async throws -> RefreshClaim {
        let parts = refreshToken.split(separator: ".").map(String.init)
        guard parts.count == 3, parts[0] == "refresh", let counter = Int64(parts[2]) else {
            throw TokenRefusal.invalidRefreshToken
        }
        return RefreshClaim(session: ID(parts[1]), counter: counter)
    }
}
