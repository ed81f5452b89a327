import Crypto
import Testing

@Suite("Keys")
struct KeyTests {
    private let message = Array("The papers of every traveller".utf8)

    @Test(
        "A signature is valid only unchanged, and only for its message and its key",
        arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let signature = try key.sign(message)
        #expect(key.algorithm == algorithm)
        #expect(signature.count == (algorithm == .es256 ? 64 : 256))
        #expect(key.publicKey.verifies(signature, of: message))
        #expect(!key.publicKey.verifies(signature, of: message + [0]))
        #expect(try !PrivateKey.generate(algorithm).publicKey.verifies(signature, of: message))
        for index in stride(from: 0, to: signature.count, by: 7) {
            var altered = signature
            altered[index] ^= 0x10
            #expect(!key.publicKey.verifies(altered, of: message), "byte \(index)")
        }
    }

    @Test(
        "A key is the same after encoding and decoding, and PKCS #8 with a missing or additional byte is rejected",
        arguments: SignatureAlgorithm.allCases)
    func stored(algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let decoded = try PrivateKey(pkcs8: key.pkcs8)
        #expect(decoded.publicKey == key.publicKey)
        #expect(try PrivateKey(pem: key.pem).publicKey == key.publicKey)
        #expect(try PublicKey(pem: key.publicKey.pem) == key.publicKey)
        #expect(key.publicKey.verifies(try decoded.sign(message), of: message))
        #expect(throws: KeyFault.malformed) { try PrivateKey(pkcs8: key.pkcs8 + [0]) }
        #expect(throws: KeyFault.malformed) { try PrivateKey(pkcs8: key.pkcs8.dropLast()) }
        #expect(throws: KeyFault.malformed) { try PrivateKey(pkcs8: []) }
    }

    @Test("A public key that is made from its parameters verifies signatures", arguments: SignatureAlgorithm.allCases)
    func parts(algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let rebuilt =
            switch key.publicKey.parts {
            case .ec(let x, let y): try PublicKey(ec: x, y: y)
            case .rsa(let n, let e): try PublicKey(rsa: n, e: e)
            }
        #expect(rebuilt.verifies(try key.sign(message), of: message))
    }

    @Test("A key can be used by concurrent tasks")
    func concurrent() async throws {
        let key = try PrivateKey.generate(.es256)
        let message = message
        let results = try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { key.publicKey.verifies(try key.sign(message), of: message) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 200 && results.allSatisfy { $0 })
    }

    @Test(
        "Keys from openssl are read, RSA signatures equal openssl's, and openssl's ECDSA signatures are verified",
        arguments: [
            "ecparam -name prime256v1 -genkey -noout",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256",
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048",
            "genrsa -traditional 3072",
        ])
    func fromPEM(command: String) throws {
        let pem = try opensslText(command)
        let key = try PrivateKey(pem: pem)
        // `FILE0` and `FILE1` stand for the first and the second of `files`.
        let publicPEM = try opensslText("pkey -in FILE0 -pubout", files: [Array(pem.utf8)])
        let publicKey = try PublicKey(pem: publicPEM)
        #expect(publicKey == key.publicKey)
        let opensslSignature = try #require(
            try openssl("dgst -sha256 -sign FILE0 FILE1", files: [Array(pem.utf8), message]))
        switch key.algorithm {
        case .rs256:
            #expect(try key.sign(message) == opensslSignature)
        case .es256:
            #expect(publicKey.verifies(raw(fromDER: opensslSignature), of: message))
            #expect(!publicKey.verifies(opensslSignature, of: message))
        }
    }

    @Test(
        "A key of a type, curve or size that the gateway does not use is rejected",
        arguments: [
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1",
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024",
            "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048",
            "genpkey -algorithm ED25519",
        ])
    func unsupported(command: String) throws {
        let pem = try opensslText(command)
        #expect(throws: KeyFault.unsupported) { try PrivateKey(pem: pem) }
        let publicPEM = try opensslText("pkey -in FILE0 -pubout", files: [Array(pem.utf8)])
        #expect(throws: KeyFault.unsupported) { try PublicKey(pem: publicPEM) }
    }

    @Test("An encrypted key is rejected without a prompt for a password")
    func encrypted() throws {
        let pem = try opensslText("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:secret")
        #expect(pem.contains("ENCRYPTED"))
        #expect(throws: KeyFault.malformed) { try PrivateKey(pem: pem) }
    }

    @Test("A private key is rejected if its public part belongs to another key")
    func mismatch() throws {
        let key = try PrivateKey.generate(.es256)
        var pkcs8 = try key.pkcs8
        // The last 64 bytes are the coordinates of the public point.
        pkcs8.replaceSubrange((pkcs8.count - 64)..., with: try PrivateKey.generate(.es256).pkcs8.suffix(64))
        #expect(throws: KeyFault.invalid) { try PrivateKey(pkcs8: pkcs8) }
    }

    @Test(
        "Text without a key in PEM is rejected",
        arguments: ["", "key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
    func notPEM(text: String) {
        #expect(throws: KeyFault.malformed) { try PrivateKey(pem: text) }
        #expect(throws: KeyFault.malformed) { try PublicKey(pem: text) }
    }

    @Test("A P-256 key is rejected unless its coordinates are a point on the curve")
    func points() throws {
        guard case .ec(let x, let y) = try PrivateKey.generate(.es256).publicKey.parts else {
            Issue.record("expected the parts of a P-256 key")
            return
        }
        var altered = y
        altered[31] ^= 1
        #expect(throws: KeyFault.invalid) { try PublicKey(ec: x, y: altered) }
        #expect(throws: KeyFault.invalid) { try PublicKey(ec: repeated(0, count: 32), y: repeated(0, count: 32)) }
        #expect(throws: KeyFault.invalid) { try PublicKey(ec: repeated(0xff, count: 32), y: y) }
        #expect(throws: KeyFault.malformed) { try PublicKey(ec: x, y: Array(y.dropLast())) }
        #expect(throws: KeyFault.malformed) { try PublicKey(ec: [0] + x, y: y) }
        #expect(throws: KeyFault.malformed) { try PublicKey(ec: [], y: []) }
    }

    struct RSANumbers: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var n = [0x80] + repeated(0, count: 254) + [1]
        var e: [UInt8] = [1, 0, 1]
        var fault: KeyFault?
    }

    @Test(
        "An RSA key is rejected unless its modulus and its exponent are odd and within limits",
        arguments: [
            RSANumbers(testDescription: "2048 bits"),
            RSANumbers(testDescription: "leading zeros", n: [0, 0, 0x80] + repeated(0, count: 254) + [1]),
            RSANumbers(testDescription: "8192 bits", n: [0x80] + repeated(0, count: 1022) + [1]),
            RSANumbers(testDescription: "exponent 3", e: [3]),
            RSANumbers(testDescription: "2047 bits", n: [0x7f] + repeated(0, count: 254) + [1], fault: .unsupported),
            RSANumbers(testDescription: "8193 bits", n: [1] + repeated(0, count: 1023) + [1], fault: .unsupported),
            RSANumbers(testDescription: "even modulus", n: [0x80] + repeated(0, count: 255), fault: .invalid),
            RSANumbers(testDescription: "no modulus", n: [], fault: .malformed),
            RSANumbers(testDescription: "exponent 1", e: [1], fault: .invalid),
            RSANumbers(testDescription: "exponent 1 with leading zeros", e: [0, 0, 1], fault: .invalid),
            RSANumbers(testDescription: "even exponent", e: [1, 0, 0], fault: .invalid),
            RSANumbers(testDescription: "exponent 0", e: [0], fault: .malformed),
            RSANumbers(testDescription: "huge exponent", e: repeated(0xff, count: 9), fault: .unsupported),
        ])
    func rsaNumbers(row: RSANumbers) {
        var fault: KeyFault?
        do throws(KeyFault) { _ = try PublicKey(rsa: row.n, e: row.e) } catch { fault = error }
        #expect(fault == row.fault)
    }
}

/// Converts a P-256 signature from DER (a SEQUENCE of two INTEGERs, all with lengths below 128) to r and s.
func raw(fromDER der: [UInt8]) -> [UInt8] {
    let rLength = Int(der[3])
    let r = der[4..<(4 + rLength)]
    let s = der[(6 + rLength)...]
    return [r, s].flatMap { number -> [UInt8] in
        let digits = Array(number.drop { $0 == 0 })
        return repeated(0, count: 32 - digits.count) + digits
    }
}
