public import Crypto
internal import Encoding
public import Identity
internal import JSON

/// ``SealedTokens`` encrypted under the master key. Clients can neither read nor forge them, nor use them elsewhere.
public struct MasterKeySealedTokens: SealedTokens {
    /// The maximum length of a token, in characters.
    private static let lengthLimit = 64 * 1024

    private let box: SealedBox
    private let nonces: IssuedNonces

    public init(masterKeys: MasterKeys) {
        box = SealedBox(keys: masterKeys)
        nonces = IssuedNonces(masterKeys: masterKeys)
    }

    private enum Purpose: String {
        case pendingCredential = "pending-credential"
        case mergeProposal = "merge-proposal"
        case mergeTerms = "merge-terms"
    }

    private struct Ticket<Content: Codable>: Codable {
        let content: Content
        let end: Instant
    }

    public func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce {
        let raw = nonces.nonce(until: end, in: realm)
        return IssuedNonce(raw: raw, sha256: Hexadecimal.encode(Digest.sha256(Array(raw.utf8))), expiresAt: end)
    }

    public func mark(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey? {
        guard let end = nonces.end(of: raw, in: realm) else { return nil }
        guard end > now else { throw ProviderRefusal.nonce(.expired) }
        return mark(of: raw, until: end)
    }

    public func ticket(for pending: PendingCredential, until end: Instant, in realm: ID<Realm>) throws -> String {
        try issue(pending, until: end, for: .pendingCredential, in: realm)
    }

    public func pending(
        _ ticket: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (PendingCredential, ReplayKey) {
        try take(ticket, for: .pendingCredential, at: now, in: realm)
    }

    public func ticket(for proposal: MergeTokenPayload, until end: Instant, in realm: ID<Realm>) throws -> String {
        try issue(proposal, until: end, for: .mergeProposal, in: realm)
    }

    public func proposal(
        _ ticket: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (MergeTokenPayload, ReplayKey) {
        try take(ticket, for: .mergeProposal, at: now, in: realm)
    }

    public func ticket(for terms: MergePrecondition, until end: Instant, in realm: ID<Realm>) throws -> String {
        try issue(terms, until: end, for: .mergeTerms, in: realm)
    }

    public func terms(
        _ ticket: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (MergePrecondition, ReplayKey) {
        try take(ticket, for: .mergeTerms, at: now, in: realm)
    }

    private func issue<Content: Codable>(
        _ content: Content, until end: Instant, for purpose: Purpose, in realm: ID<Realm>
    ) throws -> String {
        try seal(try StrictJSON.encode(Ticket(content: content, end: end)), for: purpose, in: realm)
    }

    private func take<Content: Codable>(
        _ text: String, for purpose: Purpose, at now: Instant, in realm: ID<Realm>
    ) throws(ProviderRefusal) -> (Content, ReplayKey) {
        guard let opened = open(text, for: purpose, in: realm),
            // A payload of another release counts as expired.
            let ticket = try? StrictJSON.decode(Ticket<Content>.self, from: opened), ticket.end > now
        else { throw .invalidPendingToken }
        return (ticket.content, mark(of: text, until: ticket.end))
    }

    private func mark(of ticket: String, until end: Instant) -> ReplayKey {
        ReplayKey(hash: Digest.sha256(Array(ticket.utf8)), expiresAt: end)
    }

    private func seal(_ content: [UInt8], for purpose: Purpose, in realm: ID<Realm>) throws -> String {
        Base64URL.encode(try box.seal(content, context: context(purpose, realm)))
    }

    /// - Returns: `nil` for a token that was not encrypted for this purpose and project.
    private func open(_ ticket: String, for purpose: Purpose, in realm: ID<Realm>) -> [UInt8]? {
        guard ticket.utf8.count <= Self.lengthLimit, let sealed = Base64URL.decode(ticket) else { return nil }
        return try? box.open(sealed, context: context(purpose, realm))
    }

    private func context(_ purpose: Purpose, _ realm: ID<Realm>) -> String {
        "ticket/\(purpose.rawValue)/\(realm)"
    }
}
