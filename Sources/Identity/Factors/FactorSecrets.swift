/// Creates, encrypts and uses the secrets of second factors.
public struct FactorSecrets: Sendable {
    /// Returns 28 random letters and digits.
    public var newID: @Sendable () -> ID<Factor>
    /// Returns 20 random bytes, the length that RFC 4226 §4 recommends.
    public var newSecret: @Sendable () -> [UInt8]
    /// Returns 15 random bytes in Crockford's base32: 24 digits.
    public var newRecoveryCode: @Sendable () -> String
    /// Returns the HMAC-SHA-1 of a message.
    public var hmacSHA1: @Sendable (_ key: [UInt8], _ message: [UInt8]) throws -> [UInt8]
    /// Encrypts the secret of a factor, bound to the factor's ID and realm.
    public var seal: @Sendable (_ secret: [UInt8], ID<Factor>, ID<Realm>) throws -> [UInt8]
    /// Decrypts the secret of a factor.
    public var open: @Sendable (_ sealed: [UInt8], ID<Factor>, ID<Realm>) throws -> [UInt8]
    /// Returns the SHA-256 of a recovery code, bound to the account and realm.
    public var hash: @Sendable (_ recoveryCode: String, ID<Account>, ID<Realm>) -> [UInt8]

    public init(
        newID: @escaping @Sendable () -> ID<Factor>, newSecret: @escaping @Sendable () -> [UInt8],
        newRecoveryCode: @escaping @Sendable () -> String,
        hmacSHA1: @escaping @Sendable ([UInt8], [UInt8]) throws -> [UInt8],
        seal: @escaping @Sendable ([UInt8], ID<Factor>, ID<Realm>) throws -> [UInt8],
        open: @escaping @Sendable ([UInt8], ID<Factor>, ID<Realm>) throws -> [UInt8],
        hash: @escaping @Sendable (String, ID<Account>, ID<Realm>) -> [UInt8]
    ) {
        self.newID = newID
        self.newSecret = newSecret
        self.newRecoveryCode = newRecoveryCode
        self.hmacSHA1 = hmacSHA1
        self.seal = seal
        self.open = open
        self.hash = hash
    }
}

extension FactorSecrets {
    /// The step whose one-time password is `code`; see ``OneTimePassword/step(of:at:adjacent:hmac:)``.
    func step(of code: String, with secret: [UInt8], at now: Instant, by policy: Policy) throws -> Int64? {
        guard let value = OneTimePassword.parse(code) else { return nil }
        return try OneTimePassword.step(of: value, at: now, adjacent: policy.secondFactors.adjacentIntervals) {
            try hmacSHA1(secret, $0)
        }
    }
}
