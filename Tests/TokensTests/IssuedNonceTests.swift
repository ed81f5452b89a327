import Crypto
import Identity
import Testing
import Tokens

/// Nonces that the gateway issues to clients. The gateway recognizes them by an authentication code, which it computes
/// with a master key. A valid nonce has a replay key, with which the gateway rejects a second use of the nonce.
@Suite("Issued nonces")
struct IssuedNonceTests {
    private let now = Instant(seconds: 1_800_000_000)
    private let realm = ID<Realm>("demo")

    /// Each master key is given as the byte that it repeats.
    private func sealedTokens(_ current: UInt8, previous: UInt8? = nil) throws -> MasterKeySealedTokens {
        MasterKeySealedTokens(
            masterKeys: try MasterKeys(
                current: [UInt8](repeating: current, count: 32),
                previous: previous.map { [UInt8](repeating: $0, count: 32) }))
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// The master keys at the verification. The nonce is issued under master key 1.
        let current: UInt8
        var previous: UInt8?
        var realm = "demo"
        let isValid: Bool
    }

    @Test(
        "A nonce is valid under the current and the previous master key, and only in its own realm",
        arguments: [
            Row(testDescription: "the same key", current: 1, isValid: true),
            Row(testDescription: "the previous key", current: 2, previous: 1, isValid: true),
            Row(testDescription: "a removed key", current: 2, previous: 3, isValid: false),
            Row(testDescription: "another realm", current: 1, realm: "other", isValid: false),
        ])
    func keys(row: Row) throws {
        let nonce = try sealedTokens(1).nonce(until: now + .seconds(600), in: realm)
        let replayKey = try sealedTokens(row.current, previous: row.previous).replayKey(
            ofNonce: nonce.raw, at: now, in: ID(row.realm))
        #expect((replayKey != nil) == row.isValid)
        if row.isValid { #expect(replayKey?.expiresAt == now + .seconds(600)) }
    }

    @Test("A nonce is rejected from its expiry on")
    func expired() throws {
        let sealedTokens = try sealedTokens(1)
        let nonce = sealedTokens.nonce(until: now, in: realm)
        #expect(throws: ProviderRefusal.nonce(.expired)) {
            try sealedTokens.replayKey(ofNonce: nonce.raw, at: now, in: realm)
        }
        #expect(try sealedTokens.replayKey(ofNonce: nonce.raw, at: now + .seconds(-1), in: realm) != nil)
    }

    @Test("A nonce that is changed in any character, extended or truncated is not recognized")
    func altered() throws {
        let sealedTokens = try sealedTokens(1)
        let raw = Array(sealedTokens.nonce(until: now + .seconds(600), in: realm).raw.utf8)
        var others = raw.indices.map { index in
            var other = raw
            // `A` and `Q` are valid even as the last character, whose two unused bits must be 0.
            other[index] = raw[index] == UInt8(ascii: "A") ? UInt8(ascii: "Q") : UInt8(ascii: "A")
            return other
        }
        others += [Array(raw.dropLast()), raw + raw, raw + Array("AAAA".utf8), []]
        for other in others {
            let text = String(decoding: other, as: UTF8.self)
            #expect(try sealedTokens.replayKey(ofNonce: text, at: now, in: realm) == nil, "\(text)")
        }
    }

    @Test("Nonces are unique, and have 59 characters of base64url")
    func unique() throws {
        let sealedTokens = try sealedTokens(1)
        let raws = (0..<1000).map { _ in sealedTokens.nonce(until: now, in: realm).raw }
        #expect(Set(raws).count == 1000)
        // The 44 bytes of: master key ID (4), random bytes (16), expiry (8), authentication code (16).
        #expect(raws.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{59}/) != nil })
    }
}
