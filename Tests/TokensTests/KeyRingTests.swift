import Crypto
import Identity
import Testing

@testable import Tokens

@Suite("Keys of a project")
struct KeyRingTests {
    let project = ID<Project>("demo")
    let now = Instant(seconds: 1_800_000_000)
    let masterKeys: MasterKeys

    init() throws {
        masterKeys = try MasterKeys(current: [UInt8](repeating: 1, count: 32))
    }

    @Test("A key can be decrypted only with its master key, for its project and with its ID")
    func binding() throws {
        let key = try KeyGenerator(masterKeys: masterKeys).idTokenKey(.es256, in: project, at: now, signsFrom: now)
        _ = try KeyRing([key], of: project, under: masterKeys)
        let otherKeys = try MasterKeys(current: [UInt8](repeating: 2, count: 32))
        #expect(throws: SealFault.unknownKey) { try KeyRing([key], of: project, under: otherKeys) }
        #expect(throws: SealFault.tagMismatch) { try KeyRing([key], of: ID("other"), under: masterKeys) }
        #expect(throws: SealFault.tagMismatch) {
            try KeyRing([key.with(id: "elsewhere")], of: project, under: masterKeys)
        }
    }

    @Test("A key can be re-encrypted under a new master key while the old master key is known")
    func reencryption() throws {
        let key = try KeyGenerator(masterKeys: masterKeys).refreshTokenKey(in: project, at: now, signsFrom: now)
        let new = [UInt8](repeating: 2, count: 32)
        let newAndOld = try MasterKeys(current: new, previous: [UInt8](repeating: 1, count: 32))
        let (box, context) = (SealedBox(keys: newAndOld), StoredKey.context(key.id, in: project))
        let encrypted = try #require(try box.resealed(key.sealedPrivateKey, context: context))
        let reencrypted = key.with(sealed: encrypted)
        // `nil`: the key is already encrypted under the current master key.
        #expect(try box.resealed(reencrypted.sealedPrivateKey, context: context) == nil)
        _ = try KeyRing([reencrypted], of: project, under: try MasterKeys(current: new))
    }

    @Test("A key is published before it signs; once retired, it is not published and does not sign")
    func lifetime() throws {
        let generator = KeyGenerator(masterKeys: masterKeys)
        let old = try generator.idTokenKey(.es256, in: project, at: now, signsFrom: now)
            .with(retiresAt: now + .seconds(5000))
        let next = try generator.idTokenKey(.es256, in: project, at: now, signsFrom: now + .seconds(900))
        let refresh = try generator.refreshTokenKey(in: project, at: now, signsFrom: now)
        let ring = try KeyRing([next, old, refresh], of: project, under: masterKeys)
        /// Whether `old` and `next` are published `seconds` after `now`.
        func published(after seconds: Int64) throws -> [Bool] {
            let text = String(decoding: try ring.jwks(at: now + .seconds(seconds)), as: UTF8.self)
            return [old, next].map { text.contains("\"\($0.id)\"") }
        }
        #expect(try published(after: 0) == [true, true])
        #expect(try published(after: 4999) == [true, true])
        #expect(try published(after: 5000) == [false, true])
        #expect(ring.canSign(at: now + .seconds(9000)))
        #expect(try !KeyRing([old, refresh], of: project, under: masterKeys).canSign(at: now + .seconds(5000)))
        let certificates = String(decoding: try ring.certificates(at: now), as: UTF8.self)
        #expect(certificates.contains(old.id) && certificates.contains("BEGIN CERTIFICATE"))
        #expect(!certificates.contains(refresh.id))
    }

    @Test("If no key signs yet, the one that is first to sign does, unless it is retired: the clock may be behind")
    func firstKeys() throws {
        let generator = KeyGenerator(masterKeys: masterKeys)
        let (soon, later) = (now + .seconds(300), now + .seconds(900))
        let first = try generator.idTokenKey(.es256, in: project, at: soon, signsFrom: soon)
        let second = try generator.idTokenKey(.es256, in: project, at: soon, signsFrom: later)
        let refresh = try generator.refreshTokenKey(in: project, at: soon, signsFrom: soon)
        let ring = try KeyRing([first, second, refresh], of: project, under: masterKeys)
        #expect(ring.canSign(at: now))
        #expect(try ring.idTokenSigner(at: now).stored.id == first.id)
        #expect(try ring.idTokenSigner(at: later).stored.id == second.id)
        #expect(try ring.refreshTokenSigner(at: now).stored.id == refresh.id)
        let replaced = try KeyRing(
            [first.with(retiresAt: now), second, refresh], of: project, under: masterKeys)
        #expect(try replaced.idTokenSigner(at: now).stored.id == second.id)
    }

    @Test("The error for a project without keys names the project and the command that creates a key")
    func missing() throws {
        let ring = try KeyRing([], of: project, under: masterKeys)
        let idToken = #expect(throws: NoSigningKey.self) { try ring.idTokenSigner(at: now) }
        #expect(
            idToken?.description
                == "project demo has no key that signs ID tokens now: run sekisho keys rotate-signing-key")
        let refresh = #expect(throws: NoSigningKey.self) { try ring.refreshTokenSigner(at: now) }
        #expect(
            refresh?.description
                == "project demo has no key for refresh tokens now: run sekisho keys rotate-refresh-key")
    }
}

extension StoredKey {
    fileprivate func with(id: String? = nil, sealed: [UInt8]? = nil, retiresAt: Instant? = nil) -> StoredKey {
        StoredKey(
            id: id ?? self.id, purpose: purpose, algorithm: algorithm,
            sealedPrivateKey: sealed ?? sealedPrivateKey, certificate: certificate, createdAt: createdAt,
            signsFrom: signsFrom, retiresAt: retiresAt ?? self.retiresAt)
    }
}
