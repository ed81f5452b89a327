import Crypto
import Encoding
import JOSE
import JSON
import Testing

@Suite("JSON Web Signatures")
struct JWSTests {
    private func key(_ text: String) throws -> PublicKey {
        try StrictJSON.decode(JWK.self, from: Array(text.utf8)).publicKey()
    }

    @Test(
        "The RS256 and ES256 examples of RFC 7515 appendix A are verified",
        arguments: [(Vectors.rs256Token, Vectors.rs256Key), (Vectors.es256Token, Vectors.es256Key)])
    func published(token: String, key: String) throws {
        let jws = try UnverifiedJWS(parsing: token)
        #expect(jws.unverifiedIssuer == "joe")
        #expect(jws.keyID == nil && jws.type == nil)
        #expect(try jws.payload(verifiedWith: self.key(key)) == Array(Vectors.payload.utf8))
    }

    @Test(
        "The HS256, ES512 and unsecured examples of RFC 7515 appendix A are rejected",
        arguments: [
            (Vectors.hs256Token, .algorithmNotAllowed), (Vectors.es512Token, .algorithmNotAllowed),
            (Vectors.unsecuredToken, .malformed), (Vectors.unsecuredToken + "AA", .algorithmNotAllowed),
        ] as [(String, JWSFault)])
    func publishedUnsupported(token: String, fault: JWSFault) {
        #expect(throws: fault) { try UnverifiedJWS(parsing: token) }
    }

    @Test(
        "A signed JWS is verified, and is rejected after a change of any character",
        arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let token = try JWS.sign(payload: Array(#"{"iss":"us"}"#.utf8), keyID: #"k "1"/é"#, with: key)
        let jws = try UnverifiedJWS(parsing: token)
        #expect(jws.algorithm == algorithm)
        #expect(jws.keyID == #"k "1"/é"#)
        #expect(jws.type == "JWT")
        #expect(try jws.payload(verifiedWith: key.publicKey) == Array(#"{"iss":"us"}"#.utf8))
        for index in token.utf8.indices {
            var altered = Array(token.utf8)
            let offset = token.utf8.distance(from: token.startIndex, to: index)
            altered[offset] = altered[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: JWSFault.self, "\(offset)") {
                try UnverifiedJWS(parsing: String(decoding: altered, as: UTF8.self)).payload(
                    verifiedWith: key.publicKey)
            }
        }
    }

    @Test("A JWS can be signed and parsed without a type")
    func typeless() throws {
        let token = try JWS.sign(payload: [1], keyID: "1", type: nil, with: PrivateKey.generate(.es256))
        #expect(token.hasPrefix(Base64URL.encode(Array(#"{"alg":"ES256","kid":"1"}"#.utf8)) + ".AQ."))
        #expect(try UnverifiedJWS(parsing: token).unverifiedIssuer == nil)
    }

    @Test(
        "A JWS is rejected if its algorithm is not exactly RS256 or ES256",
        arguments: [
            "none", "None", "nOnE", "NONE", "", "HS256", "HS384", "HS512", "RS384", "RS512", "RS1", "PS256", "ES384",
            "ES512", "ES256K", "EdDSA", "es256", "ES256 ", "rs256",
        ])
    func algorithms(name: String) {
        #expect(throws: JWSFault.algorithmNotAllowed) {
            try UnverifiedJWS(parsing: token(header: #"{"alg":"\#(name)"}"#))
        }
    }

    @Test("A JWS is rejected if its MAC was computed with a public key as the shared secret")
    func confusion() throws {
        let publicKey = Array(Vectors.rs256Key.utf8)
        let input = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + "." + Base64URL.encode(Array("{}".utf8))
        let code = HMAC.sha256(key: publicKey, message: Array(input.utf8))
        #expect(throws: JWSFault.algorithmNotAllowed) {
            try UnverifiedJWS(parsing: input + "." + Base64URL.encode(code))
        }
    }

    @Test("A JWS is rejected with a key of another algorithm, or with another key of the same algorithm")
    func otherKey() throws {
        let es256 = try UnverifiedJWS(parsing: Vectors.es256Token)
        #expect(throws: JWSFault.keyMismatch) { try es256.payload(verifiedWith: self.key(Vectors.rs256Key)) }
        let rs256 = try UnverifiedJWS(parsing: Vectors.rs256Token)
        #expect(throws: JWSFault.keyMismatch) { try rs256.payload(verifiedWith: self.key(Vectors.es256Key)) }
        #expect(throws: JWSFault.signatureInvalid) {
            try es256.payload(verifiedWith: PrivateKey.generate(.es256).publicKey)
        }
    }

    @Test(
        "A JWS is rejected if its header has the member crit, whatever its value",
        arguments: [#"["exp"]"#, #"["b64"]"#, "[]", "null", "1"])
    func critical(list: String) {
        #expect(throws: JWSFault.criticalHeader) {
            try UnverifiedJWS(parsing: token(header: #"{"alg":"ES256","b64":false,"crit":\#(list)}"#))
        }
    }

    @Test(
        "A JWS is rejected unless its header is strict JSON with a string alg, and kid and typ are absent or strings",
        arguments: [
            "{}", "[]", "null", "", #"{"alg":"ES256""#, #"{"alg":"ES256"} x"#, #"{"alg":"ES256","alg":"none"}"#,
            #"{"alg":"none","\u0061lg":"ES256"}"#, #"{"alg":["ES256"]}"#, #"{"alg":null}"#, #"{"alg":"ES256","kid":1}"#,
            #"{"alg":"ES256","typ":{}}"#, #"{"alg":"ES256","kid":"a\u0000"}"#, "{\"alg\":\"ES256\",\"kid\":\"\u{0}\"}",
        ])
    func headers(text: String) {
        #expect(throws: JWSFault.malformed) { try UnverifiedJWS(parsing: token(header: text)) }
    }

    @Test("A JWS is verified with the caller's key and not with the key in its own header")
    func ownKey() throws {
        let key = try PrivateKey.generate(.es256)
        let jwk = try String(decoding: StrictJSON.encode(JWK(key.publicKey)), as: UTF8.self)
        let header = #"{"alg":"ES256","jwk":\#(jwk),"jku":"https://a/","x5c":["AA"],"x5u":"https://a/"}"#
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array("{}".utf8))
        let jws = try UnverifiedJWS(parsing: input + "." + Base64URL.encode(key.sign(Array(input.utf8))))
        #expect(try jws.payload(verifiedWith: key.publicKey) == Array("{}".utf8))
        #expect(throws: JWSFault.signatureInvalid) { try jws.payload(verifiedWith: self.key(Vectors.es256Key)) }
    }

    @Test(
        "A JWS is rejected unless it has three non-empty parts in base64url",
        arguments: [
            "", ".", "..", "a", "a.b", "{}", ".e30.AA", "HEADER..AA", "HEADER.e30.", "HEADER.e30", "HEADER.e30.AA.",
            "HEADER.e30.AA.AA", ".HEADER.e30.AA", "HEADER.e30=.AA", "HEADER.e30.AA==", " HEADER.e30.AA",
            "HEADER.e30.AA\n", "HEADER.e3 0.AA", "HEADER.e31.AA", "HEADER.e30.AB", "HEADER.e30.+A", "HEADER.e30.A",
            #"{"payload":"e30","signatures":[]}"#,
        ])
    func shapes(text: String) {
        let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
        #expect(throws: JWSFault.malformed) { try UnverifiedJWS(parsing: text.replacing("HEADER", with: header)) }
    }

    @Test("A JWS longer than 16 KiB is rejected")
    func length() throws {
        // Base64url encodes three bytes as four characters.
        let room = UnverifiedJWS.maximumLength - token(header: #"{"alg":"ES256"}"#, payload: []).utf8.count
        #expect(throws: Never.self) {
            try UnverifiedJWS(parsing: token(header: #"{"alg":"ES256"}"#, payload: bytes(room * 3 / 4)))
        }
        #expect(throws: JWSFault.tooLong) {
            try UnverifiedJWS(parsing: token(header: #"{"alg":"ES256"}"#, payload: bytes(room * 3 / 4 + 1)))
        }
    }

    @Test(
        "The unverified issuer is nil unless the payload is strict JSON with a string iss",
        arguments: [
            (#"{"iss":"a"}"#, "a"), (#"{"iss":"a","iss":"b"}"#, nil), (#"{"iss":1}"#, nil), ("{}", nil), ("x", nil),
        ])
    func issuer(payload: String, issuer: String?) throws {
        let jws = try UnverifiedJWS(parsing: token(header: #"{"alg":"ES256"}"#, payload: Array(payload.utf8)))
        #expect(jws.unverifiedIssuer == issuer)
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// A token with a signature of zeros.
    private func token(header: String, payload: [UInt8] = Array("{}".utf8)) -> String {
        [Array(header.utf8), payload, [UInt8](repeating: 0, count: 64)].map { Base64URL.encode($0) }.joined(
            separator: ".")
    }
}
