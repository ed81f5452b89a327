import Crypto
import JOSE
import JSON
import Testing

@Suite("JSON Web Keys")
struct JWKTests {
    private func jwk(_ text: String) throws -> JWK { try StrictJSON.decode(JWK.self, from: Array(text.utf8)) }

    @Test("The example of RFC 7638 has the published thumbprint")
    func thumbprint() throws {
        // The second key of the set is the example of RFC 7638.
        let set = try StrictJSON.decode(JWKSet.self, from: Array(Vectors.keySet.utf8))
        #expect(set.keys.map(\.kid) == ["1", "2011-04-29"])
        #expect(try JWK.thumbprint(of: set.keys[1].publicKey()) == Vectors.thumbprint)
        #expect(try JWK(set.keys[1].publicKey()).kid == Vectors.thumbprint)
    }

    @Test("Published P-256 keys are read; keys for encryption, P-521 keys and symmetric keys are rejected")
    func published() throws {
        func keys(_ text: String) throws -> [JWK] { try StrictJSON.decode(JWKSet.self, from: Array(text.utf8)).keys }
        #expect(Set(try keys(Vectors.twoP256Keys).map { try $0.publicKey().parts }).count == 2)
        let others = try [keys(Vectors.keySet)[0], jwk(Vectors.es512Key)] + keys(Vectors.symmetricKeys)
        for key in others { #expect(throws: KeyFault.unsupported) { try key.publicKey() } }
    }

    @Test("A key set with more than 200 keys is rejected, because the gateway reads every key")
    func manyKeys() throws {
        for (count, isAccepted) in [(200, true), (201, false)] {
            let set = "{\"keys\":[\(Array(repeating: "{}", count: count).joined(separator: ","))]}"
            #expect(((try? StrictJSON.decode(JWKSet.self, from: Array(set.utf8))) != nil) == isAccepted)
        }
    }

    @Test("A JWK has the same public key after encoding and decoding", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm).publicKey
        let text = try StrictJSON.encode(JWKSet(keys: [JWK(key, keyID: "one"), JWK(key)]))
        let keys = try StrictJSON.decode(JWKSet.self, from: text).keys
        #expect(keys.map(\.kid) == ["one", JWK.thumbprint(of: key)])
        #expect(keys.map(\.alg) == [algorithm.rawValue, algorithm.rawValue])
        #expect(keys.map(\.use) == ["sig", "sig"])
        #expect(try keys.map { try $0.publicKey() } == [key, key])
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The default key. Its `x` ends with `RVEU`.
        var key = Vectors.es256Key
        /// The text in `key` that is replaced.
        let replacing: String
        let with: String
        let fault: KeyFault
    }

    @Test(
        "A JWK is rejected unless it is a valid key for an allowed signature algorithm",
        arguments: [
            Row(testDescription: "encryption", replacing: "\"kty\"", with: #""use":"enc","kty""#, fault: .unsupported),
            Row(testDescription: "ES384", replacing: "\"kty\"", with: #""alg":"ES384","kty""#, fault: .unsupported),
            Row(
                testDescription: "RS256 for an EC key", replacing: "\"kty\"", with: #""alg":"RS256","kty""#,
                fault: .unsupported),
            Row(
                testDescription: "PS256", key: Vectors.rs256Key, replacing: "\"kty\"", with: #""alg":"PS256","kty""#,
                fault: .unsupported),
            Row(testDescription: "P-384", replacing: "P-256", with: "P-384", fault: .unsupported),
            Row(testDescription: "no curve", replacing: "\"crv\"", with: "\"_\"", fault: .unsupported),
            Row(testDescription: "symmetric", replacing: "\"EC\"", with: "\"oct\"", fault: .unsupported),
            Row(testDescription: "Edwards curve", replacing: "\"EC\"", with: "\"OKP\"", fault: .unsupported),
            Row(testDescription: "RSA without n and e", replacing: "\"EC\"", with: "\"RSA\"", fault: .malformed),
            Row(testDescription: "no y", replacing: "\"y\"", with: "\"_\"", fault: .malformed),
            Row(testDescription: "short x", replacing: "RVEU", with: "", fault: .malformed),
            Row(testDescription: "padded x", replacing: "RVEU", with: "RVEU=", fault: .malformed),
            Row(testDescription: "off the curve", replacing: "RVEU", with: "RVEA", fault: .invalid),
            Row(
                testDescription: "even exponent", key: Vectors.rs256Key, replacing: "AQAB", with: "AQAA",
                fault: .invalid),
        ])
    func rejected(row: Row) throws {
        let key = try jwk(row.key.replacing(row.replacing, with: row.with))
        #expect(throws: row.fault) { try key.publicKey() }
    }

    @Test("Elements of a set that are not keys are skipped, and a set without the member `keys` is rejected")
    func skippedElements() throws {
        let text = #"{"keys":[1,{"kid":"a"},{"kty":7},\#(Vectors.es256Key),{"kty":"new","x":[]},{"kty":"new"}]}"#
        let set = try StrictJSON.decode(JWKSet.self, from: Array(text.utf8))
        #expect(set.keys.map(\.kty) == ["EC", "new"])
        #expect(throws: DecodingError.self) { try StrictJSON.decode(JWKSet.self, from: Array("{}".utf8)) }
    }
}
