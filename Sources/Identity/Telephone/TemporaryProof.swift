internal import Encoding

/// The content of the wire's `temporaryProof`.
struct TemporaryProof: SealedTokenContent {
    static let purpose = "temporary-proof"
    static let invalidRefusal: any Refusal = PhoneRefusal.invalidTemporaryProof

    let number: String
    /// The hash of the code's session in Base64url.
    let code: String
    /// In microseconds since 1970, as ``end``.
    let provenAt: Int64
    let end: Int64

    init(of proof: PhoneProof, at now: Instant) {
        number = proof.number.rawValue
        switch proof.consumed {
        case .code(let hash):
            code = Base64URL.encode(hash)
            provenAt = now.microseconds
            end = (now + PhoneConflict.proofLifetime).microseconds
        case .temporaryProof(let hash, let provenAt, let end):
            code = Base64URL.encode(hash)
            self.provenAt = provenAt.microseconds
            self.end = end.microseconds
        }
    }

    var consumed: PhoneProof.Consumed {
        .temporaryProof(
            code: Base64URL.decode(code) ?? [], provenAt: Instant(microseconds: provenAt),
            end: Instant(microseconds: end))
    }
}

extension PhoneProof {
    /// Whether the account has got or proven the number since the temporary proof was made. The proof may then be that
    /// of an earlier holder of the number.
    func isOutdated(by holder: Account) -> Bool {
        guard case .temporaryProof(_, let provenAt, _) = consumed else { return false }
        return [holder.phoneProvenAt, holder.phoneAddedAt].contains { $0.map { $0 > provenAt } ?? false }
    }
}

/// A proof of a number that signs no user in.
public struct PhoneConflict: Hashable, Sendable {
    public let number: PhoneNumber
    public let temporaryProof: String
    /// Whether the number may have been assigned to another person since the account last proved it.
    public let needsConfirmation: Bool
    /// The other sign-in methods of the account; `nil` if the client must not learn them.
    public let verifiedProviders: [ProviderID]?

    public static let proofLifetime: Duration = .seconds(3600)
}
