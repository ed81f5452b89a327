internal import Gateway
internal import Identity
internal import Tokens

extension CustomTokens {
    /// Takes what clients of Firebase's emulator send: claims as bare JSON, and JWTs that nobody has signed. A token
    /// that says it is signed is for `signed` to judge. `serve` has no way to reach this.
    static func unsigned(orElse signed: CustomTokens) -> CustomTokens {
        CustomTokens { token, project in
            guard let unsigned = UnsignedToken(token) else { return try await signed.read(token, project) }
            let claims = try CustomTokenPayload(unsigned.claims)
            if case .jwt = unsigned {
                try claims.requireAudience()
                try claims.requireTenant(project.tenant)
            }
            return try claims.claim()
        }
    }
}
