import Crypto
import Testing

@Suite("Self-signed certificates")
struct CertificateTests {
    @Test(
        "A certificate has the given key, name, dates and serial number, and openssl verifies it",
        arguments: SignatureAlgorithm.allCases)
    func readBack(algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let certificate = try Certificate.selfSigned(
            for: key, commonName: "securetoken.example", notBefore: 1_700_000_000, notAfter: 4_102_444_800,
            serial: [0x7f, 0x01, 0x02])
        let file = Array(certificate.utf8)
        // `FILE0` stands for the first of `files`.
        let text = try opensslText(
            "x509 -in FILE0 -noout -subject -issuer -serial -dates -nameopt RFC2253", files: [file])
        #expect(
            text == """
                subject=CN=securetoken.example
                issuer=CN=securetoken.example
                serial=7F0102
                notBefore=Nov 14 22:13:20 2023 GMT
                notAfter=Jan  1 00:00:00 2100 GMT

                """)
        let publicPEM = try opensslText("x509 -in FILE0 -noout -pubkey", files: [file])
        #expect(try PublicKey(pem: publicPEM) == key.publicKey)
        #expect(try openssl("verify -check_ss_sig -CAfile FILE0 FILE0", files: [file]) != nil)
    }

    @Test("An empty common name and one of 65 characters are rejected", arguments: [0, 65])
    func name(length: Int) throws {
        let key = try PrivateKey.generate(.es256)
        #expect(throws: LibraryFault.self) {
            try Certificate.selfSigned(
                for: key, commonName: String(repeating: "a", count: length), notBefore: 0, notAfter: 1, serial: [1])
        }
    }
}
