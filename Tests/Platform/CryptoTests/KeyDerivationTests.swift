import Encoding
import FoundationEssentials
import Testing

@testable import Crypto

@Suite("Key derivation, HMACs and digests")
struct KeyDerivationTests {
    struct ScryptRow {
        let password: String
        let salt: String
        let cost: Int
        let blockSize: Int
        let parallelization: Int
        let key: String
    }

    /// RFC 7914 §12, without the fourth vector, which takes 1 GiB.
    @Test(
        "scrypt matches RFC 7914",
        arguments: [
            ScryptRow(
                password: "", salt: "", cost: 16, blockSize: 1, parallelization: 1,
                key: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
            ScryptRow(
                password: "password", salt: "NaCl", cost: 1024, blockSize: 8, parallelization: 16,
                key: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
            ScryptRow(
                password: "pleaseletmein", salt: "SodiumChloride", cost: 16384, blockSize: 8, parallelization: 1,
                key: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
        ])
    func scrypt(row: ScryptRow) throws {
        let key = try KeyDerivation.scrypt(
            Array(row.password.utf8), salt: Array(row.salt.utf8), cost: row.cost, blockSize: row.blockSize,
            parallelization: row.parallelization, count: 64)
        #expect(Hexadecimal.encode(key) == row.key)
    }

    /// RFC 6070, without the fourth vector, which takes sixteen million iterations.
    @Test(
        "PBKDF2 matches RFC 6070",
        arguments: [
            ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
            (
                "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
                "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
            ),
            ("pass\u{0}word", "sa\u{0}lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        ])
    func pbkdf2(password: String, salt: String, iterations: Int, key: String) throws {
        let derived = try KeyDerivation.pbkdf2(
            Array(password.utf8), salt: Array(salt.utf8), iterations: iterations, by: .sha1, count: key.utf8.count / 2)
        #expect(Hexadecimal.encode(derived) == key)
    }

    /// The example in the README of github.com/firebase/scrypt.
    @Test("Firebase's scrypt matches Firebase's published example")
    func firebase() throws {
        func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }
        // The salt is followed by the salt separator.
        let hash = try FirebaseScrypt.hash(
            Array("user1password".utf8), salt: bytes("42xEC+ixf3L2lw==") + bytes("Bw=="),
            signerKey: bytes(
                "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="),
            memoryCost: 14, rounds: 8)
        let published = try bytes(
            "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==")
        #expect(hash == published)
    }

    /// RFC 2202 and RFC 4231, first test case of each.
    @Test(
        "HMAC matches RFC 2202 and RFC 4231",
        arguments: [
            (.md5, 16, "9294727a3638bb1c13f48ef8158bfc9d"),
            (.sha1, 20, "b617318655057264e28bc0b6fb378c8ef146be00"),
            (.sha256, 20, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                .sha512, 20,
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                    + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
            ),
        ] as [(DigestAlgorithm, Int, String)])
    func hmac(algorithm: DigestAlgorithm, keyLength: Int, code: String) throws {
        let key = [UInt8](repeating: 0x0b, count: keyLength)
        #expect(Hexadecimal.encode(try HMAC.code(of: Array("Hi There".utf8), key: key, by: algorithm)) == code)
    }

    @Test(
        "Digests of empty input match published values",
        arguments: [
            (.md5, "d41d8cd98f00b204e9800998ecf8427e"),
            (.sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                .sha512,
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
        ] as [(DigestAlgorithm, String)])
    func digests(algorithm: DigestAlgorithm, digest: String) throws {
        #expect(Hexadecimal.encode(try Digest.of([], by: algorithm)) == digest)
    }
}
