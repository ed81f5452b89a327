import Encoding
import JSON
import Testing

@testable import DevMode

@Suite("Secrets in recorded requests")
struct SecretMaskingTests {
    static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.SIGNATURE"

    @Test(
        "A secret is masked, a token is decoded without its signature, and other texts stay",
        arguments: [
            (#"{"password":"x"}"#, #"{"password":"•••"}"#),
            (#"{"newPassword":1}"#, #"{"newPassword":"•••"}"#),
            (#"{"client_secret":{"a":"x"}}"#, #"{"client_secret":"•••"}"#),
            (#"{"a":[{"oobCode":"x"}]}"#, #"{"a":[{"oobCode":"•••"}]}"#),
            (#"{"password":["x"]}"#, #"{"password":["•••"]}"#),
            (#"{"refreshToken":"x","email":"ada@example.com"}"#, #"{"email":"ada@example.com","refreshToken":"•••"}"#),
            (#"{"idToken":"\#(token)"}"#, #"{"idToken":{"claims":{"sub":"ada"},"header":{"alg":"none"}}}"#),
            (#"{"postBody":"id_token=x&nonce=n"}"#, #"{"postBody":"id_token=•••&nonce=n"}"#),
            (#"{"postBody":"%zz&id_token=x"}"#, #"{"postBody":"•••"}"#),
            (#"{"oobLink":"http://a/?oobCode=x&mode=y"}"#, #"{"oobLink":"http://a/?oobCode=•••&mode=y"}"#),
            (#"{"url":"http://a/?x=1#access_token=x"}"#, #"{"url":"http://a/?x=1#access_token=•••"}"#),
            (#"{"url":"com.app://cb?code=x"}"#, #"{"url":"com.app://cb?code=•••"}"#),
            (
                #"{"url":"https://a/?link=https%3A%2F%2Fb%2F%3FoobCode%3Dx"}"#,
                #"{"url":"https://a/?link=https://b/?oobCode=•••"}"#
            ),
            (#"{"url":"https://a/?x=1"}"#, #"{"url":"https://a/?x=1"}"#),
            (#"{"a":"b=c=d=e=f=g"}"#, #"{"a":"b=c=d=•••"}"#),
            (
                #"{"recoveryCodes":["x"],"mfaPendingCredential":"x"}"#,
                #"{"mfaPendingCredential":"•••","recoveryCodes":["•••"]}"#
            ),
            (#"{"postBody":"{\"idToken\":\"x=\"}"}"#, #"{"postBody":"•••"}"#),
            (#"{"error":{"code":400}}"#, #"{"error":{"code":400}}"#),
            (
                #"{"passwordPolicyConfig":{"forceUpgradeOnSignin":true}}"#,
                #"{"passwordPolicyConfig":{"forceUpgradeOnSignin":true}}"#
            ),
        ])
    func masked(text: String, expected: String) throws {
        let value = try StrictJSON.decode(JSONValue.self, from: Array(text.utf8))
        #expect(SecretMasking.masked(value, decodesTokens: true).encodedText == expected)
    }

    @Test("Names that can be parts of a value are masked in a query")
    func query() {
        #expect(SecretMasking.form([("{\"password\":\"x", "y"), ("key", "any")]) == "•••&key=any")
    }
}
