import Encoding
import Testing

@testable import Crypto

@Suite("Keys of WebAuthn credentials")
struct CredentialKeyTests {
    @Test("An ES256 signature verifies in DER, and not in the encoding of JOSE")
    func ecdsa() throws {
        let signer = try PrivateKey.generate(.es256)
        guard case .ec(let x, let y) = signer.publicKey.parts else { throw KeyFault.unsupported }
        let key = try CredentialKey(.p256(x: x, y: y))
        let raw = try signer.sign([1, 2, 3])
        let der = try #require(ECDSASignature.der(fromRaw: raw))
        #expect(key.verifies(der, of: [1, 2, 3]))
        #expect(!key.verifies(raw, of: [1, 2, 3]))
        #expect(!key.verifies(der, of: [1, 2]))
        #expect(!key.verifies(der + [0], of: [1, 2, 3]))
        #expect(!key.verifies([], of: [1, 2, 3]))
        #expect(key == (try CredentialKey(.p256(x: x, y: y))))
    }

    @Test("An RS256 signature verifies")
    func rsa() throws {
        let signer = try PrivateKey.generate(.rs256)
        guard case .rsa(let n, let e) = signer.publicKey.parts else { throw KeyFault.unsupported }
        let key = try CredentialKey(.rsa(n: n, e: e))
        let signature = try signer.sign([1, 2, 3])
        #expect(key.verifies(signature, of: [1, 2, 3]))
        #expect(!key.verifies(signature, of: [1, 2]))
        #expect(!key.verifies([0] + signature, of: [1, 2, 3]))
    }

    @Test("An Ed25519 signature verifies (RFC 8032 §7.1, test 3)")
    func ed25519() throws {
        let key = try CredentialKey(
            .ed25519(bytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")))
        let signature = try bytes(
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a")
        #expect(key.verifies(signature, of: [0xAF, 0x82]))
        #expect(!key.verifies(signature, of: [0xAF]))
        #expect(!key.verifies(signature + [0], of: [0xAF, 0x82]))
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }
}
