/// A proven telephone number.
public struct PhoneProof: Hashable, Sendable {
    /// What the commit uses up: a code, named by the hash of its session. A code counts once, directly or through one
    /// of the temporary proofs that it led to.
    public enum Consumed: Hashable, Sendable {
        case code([UInt8])
        /// - Parameters:
        ///   - provenAt: when the code was checked.
        ///   - end: when the proof expires. A proof that leads to another proof does not prolong it.
        case temporaryProof(code: [UInt8], provenAt: Instant, end: Instant)
    }

    public let number: PhoneNumber
    public let consumed: Consumed
    /// The factor to which the code was bound; `nil` for other purposes than ``PhoneCode/Purpose/secondFactor``.
    var factor: ID<Factor>?
}
