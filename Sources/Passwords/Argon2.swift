public import Crypto

/// The functions of Argon2. Tests replace them to count the work.
public struct Argon2: Sendable {
    /// Returns the hash in PHC string format.
    public var hash: @Sendable (_ password: [UInt8], _ cost: PasswordHash.Cost) throws -> String
    /// Whether `password` matches a hash in PHC string format.
    public var verify: @Sendable (_ password: [UInt8], _ phc: String) -> Bool

    public init(
        hash: @escaping @Sendable ([UInt8], PasswordHash.Cost) throws -> String,
        verify: @escaping @Sendable ([UInt8], String) -> Bool
    ) {
        self.hash = hash
        self.verify = verify
    }

    public static let libsodium = Argon2(
        hash: { try PasswordHash.hash($0, cost: $1) }, verify: { PasswordHash.verify($0, against: $1) })
}
