import Crypto
import Testing

@Suite("Digests and message authentication codes")
struct DigestTests {
    struct Hashed: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let message: String
        let digest: String
    }

    @Test(
        "SHA-256 matches NIST's examples",
        arguments: [
            Hashed(
                testDescription: "empty", message: "",
                digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            Hashed(
                testDescription: "one block", message: "abc",
                digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            Hashed(
                testDescription: "two blocks", message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            Hashed(
                testDescription: "a million letters", message: String(repeating: "a", count: 1_000_000),
                digest: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ])
    func sha256(row: Hashed) {
        #expect(Digest.sha256(Array(row.message.utf8)) == hex(row.digest))
    }

    @Test(
        "SHA-1 matches NIST's examples, and the published digest of a breached password",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("password", "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8"),
        ])
    func sha1(message: String, digest: String) {
        #expect(Digest.sha1(Array(message.utf8)) == hex(digest))
    }

    struct Code: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    @Test(
        "HMAC-SHA-256 matches RFC 4231",
        arguments: [
            Code(
                testDescription: "4.2", key: repeated(0x0b, count: 20), message: Array("Hi There".utf8),
                code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            Code(
                testDescription: "4.3, a key shorter than the code", key: Array("Jefe".utf8),
                message: Array("what do ya want for nothing?".utf8),
                code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            Code(
                testDescription: "4.4", key: repeated(0xaa, count: 20), message: repeated(0xdd, count: 50),
                code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            Code(
                testDescription: "4.5", key: Array(1...25), message: repeated(0xcd, count: 50),
                code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            Code(
                testDescription: "4.7, a key longer than a block", key: repeated(0xaa, count: 131),
                message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
            Code(
                testDescription: "4.8, key and message longer than a block", key: repeated(0xaa, count: 131),
                message: Array(
                    """
                    This is a test using a larger than block-size key and a larger than block-size data. \
                    The key needs to be hashed before being used by the HMAC algorithm.
                    """.utf8),
                code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        ])
    func hmac(row: Code) {
        #expect(HMAC.sha256(key: row.key, message: row.message) == hex(row.code))
    }

    @Test(
        "The constant-time comparison has the result of an ordinary comparison",
        arguments: [[], [0], [1, 2, 3], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0]] as [[UInt8]],
        [[], [1, 2, 3]] as [[UInt8]])
    func comparison(a: [UInt8], b: [UInt8]) {
        #expect(constantTimeEquals(a, b) == (a == b))
    }
}
