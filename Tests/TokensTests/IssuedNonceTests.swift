import Crypto
import Identity
import Testing
import Tokens

@Suite("Issued nonces")
struct IssuedNonceTests {
    private let now = Instant(seconds: 1_800_000_000)
    private let realm = ID<Realm>("demo")

    private func sealedTokens(_ current: UInt8, previous: UInt8? = nil) throws -> MasterKeySealedTokens {
        MasterKeySealedTokens(
            masterKeys: try MasterKeys(
                current: [UInt8](repeating: current, count: 32),
                previous: previous.map { [UInt8](repeating: $0, count: 32) }))
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let current: UInt8
        var previous: UInt8?
        var project = "demo"
        let isOurs: Bool
    }

    @Test(
        "are valid under both active master keys, only in their own project",
        arguments: [
            Row(testDescription: "the same key", current: 1, isOurs: true),
            Row(testDescription: "the previous key", current: 2, previous: 1, isOurs: true),
            Row(testDescription: "a removed key", current: 2, previous: 3, isOurs: false),
            Row(testDescription: "another project", current: 1, project: "other", isOurs: false),
        ])
    func keys(row: Row) throws {
        let nonce = try sealedTokens(1).nonce(until: now + .seconds(600), in: realm)
        let mark = try sealedTokens(row.current, previous: row.previous).replayKey(
            ofNonce: nonce.raw, at: now, in: ID(row.project))
        #expect((mark != nil) == row.isOurs)
        if row.isOurs { #expect(mark?.expiresAt == now + .seconds(600)) }
    }

    @Test("are invalid after their expiry")
    func expired() throws {
        let sealedTokens = try sealedTokens(1)
        let nonce = sealedTokens.nonce(until: now, in: realm)
        #expect(throws: ProviderRefusal.nonce(.expired)) {
            try sealedTokens.replayKey(ofNonce: nonce.raw, at: now, in: realm)
        }
        #expect(try sealedTokens.replayKey(ofNonce: nonce.raw, at: now + .seconds(-1), in: realm) != nil)
    }

    @Test("cannot be changed in any byte, extended or truncated")
    func altered() throws {
        let sealedTokens = try sealedTokens(1)
        let raw = Array(sealedTokens.nonce(until: now + .seconds(600), in: realm).raw.utf8)
        var others = raw.indices.map { index in
            var other = raw
            other[index] = raw[index] == UInt8(ascii: "A") ? UInt8(ascii: "Q") : UInt8(ascii: "A")
            return other
        }
        others += [Array(raw.dropLast()), raw + raw, raw + Array("AAAA".utf8), []]
        for other in others {
            let text = String(decoding: other, as: UTF8.self)
            #expect(try sealedTokens.replayKey(ofNonce: text, at: now, in: realm) == nil, "\(text)")
        }
    }

    @Test("are unique, and are valid nonces")
    func different() throws {
        let sealedTokens = try sealedTokens(1)
        let raws = (0..<1000).map { _ in sealedTokens.nonce(until: now, in: realm).raw }
        #expect(Set(raws).count == 1000)
        #expect(raws.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{59}/) != nil })
    }
}
