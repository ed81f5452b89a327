internal import Gateway
internal import Identity
internal import Tokens

extension CustomTokens {
    /// Accepts the custom tokens of Firebase's emulator: bare JSON claims, unsigned JWTs, and JWTs of a service
    /// account, whose signature is ignored. Passes other signed tokens to `signed`. `serve` cannot use this function.
    static func unsigned(otherwise signed: CustomTokens) -> CustomTokens {
        CustomTokens { token, realm in
            guard let unsigned = UnsignedToken(custom: token) else {
                return try await signed.read(token, realm)
            }
            let payload = try CustomTokenPayload(unsigned.claims)
            if case .jwt = unsigned {
                try payload.requireAudience()
                try payload.requireTenant(realm.tenant)
            }
            return try payload.contents()
        }
    }
}
