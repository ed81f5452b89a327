import Crypto
import Encoding
import Identity
import JOSE
import JSON

/// Claims to put into a valid set of claims. `null` removes a claim.
typealias Changes = JSONObject

private let now = Fixture.start.seconds

private let appleClaims: JSONObject = [
    "iss": "https://appleid.apple.com", "aud": "com.example.app", "sub": "001234.0123456789abcdef.0815",
    "iat": .integer(now - 10), "exp": .integer(now + 86_400), "auth_time": .integer(now - 10),
    "email": "ada@example.com", "email_verified": true, "nonce_supported": true,
]

private let googleClaims: JSONObject = [
    "iss": "https://accounts.google.com", "aud": "web.apps.example", "azp": "ios.apps.example", "sub": "1081510815",
    "iat": .integer(now - 10), "nbf": .integer(now - 310), "exp": .integer(now + 3590), "email": "ada@example.com",
    "email_verified": true, "name": "Ada King", "given_name": "Ada", "family_name": "King",
    "picture": "https://lh3.googleusercontent.com/a/ada=s96-c", "locale": "en",
]

private let openIDClaims: JSONObject = [
    "iss": .string(Fixture.openIDIssuer), "aud": "realm-client", "sub": "f:ada", "iat": .integer(now - 10),
    "exp": .integer(now + 300), "email": "ada@example.com", "email_verified": true,
]

func appleToken(changing changes: Changes = [:], signedBy key: Keys.Named = Keys.current) throws -> String {
    try token(appleClaims, changes, key)
}

func googleToken(changing changes: Changes = [:], signedBy key: Keys.Named = Keys.current) throws -> String {
    try token(googleClaims, changes, key)
}

func openIDToken(changing changes: Changes = [:], signedBy key: Keys.Named = Keys.current) throws -> String {
    try token(openIDClaims, changes, key)
}

/// Returns an identity token of Apple that expires after a hundred days, later than any test verifies it.
func longLivedAppleToken(signedBy key: Keys.Named = Keys.current) throws -> String {
    try appleToken(changing: ["exp": .integer(now + 100 * 86_400)], signedBy: key)
}

private func token(_ claims: JSONObject, _ changes: Changes, _ key: Keys.Named) throws -> String {
    try JWS.sign(payload: payload(claims, changes), keyID: key.id, type: nil, with: key.key)
}

private func payload(_ claims: JSONObject, _ changes: Changes) throws -> [UInt8] {
    var claims = claims
    for (name, value) in changes { claims[name] = value == .null ? nil : value }
    return try StrictJSON.encode(claims)
}

/// Returns a token with the given header, and with Apple's valid claims unless another payload is given.
///
/// - Parameter sign: returns the signature of a JWS signing input; `nil` for that of ``Keys/current``.
func appleToken(
    header: String, payload text: String? = nil, sign: ((_ input: [UInt8]) throws -> [UInt8])? = nil
) throws -> String {
    let payload = try text.map { Array($0.utf8) } ?? payload(appleClaims, [:])
    let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
    let signature = try sign?(Array(input.utf8)) ?? Keys.current.key.sign(Array(input.utf8))
    return input + "." + Base64URL.encode(signature)
}

/// Returns Apple's valid claims as text, for payloads that an encoder cannot write.
func appleClaimsText() throws -> String { String(decoding: try payload(appleClaims, [:]), as: UTF8.self) }

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (ByteText, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
