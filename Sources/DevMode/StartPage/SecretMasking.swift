internal import Encoding
internal import HTTP
internal import JSON

/// Removes secrets from the bodies and queries that `dev` shows: passwords, codes, keys and opaque tokens. A JWT is
/// replaced by its header and claims, without its signature.
enum SecretMasking {
    /// What replaces a secret.
    static let mask = "•••"
    /// The maximum length of a text that is kept, in bytes.
    static let textLimit = 2048

    /// Names of members and parameters in lower case, without hyphens and underscores.
    private static let secretNames: Set<String> = [
        "accesstoken", "code", "codeverifier", "customtoken", "idtoken", "mergetoken", "oauthaccesstoken",
        "oobcode", "pendingtoken", "privatekey", "refreshtoken", "salt", "saltseparator", "sessioncookie", "sessionid",
        "sessioninfo", "signerkey", "temporaryproof", "token",
    ]

    private static func isSecret(_ name: ByteText) -> Bool {
        let letters = String(name.rawValue.lowercased().filter { $0 != "_" && $0 != "-" })
        let isAboutPasswords = ["policy", "updatedat"].contains { letters.containsBytes(of: $0) }
        return secretNames.contains(letters)
            || !isAboutPasswords && ["password", "secret"].contains { letters.containsBytes(of: $0) }
    }

    /// Whether a text can be the name of a parameter. Any other text may be a part of a value.
    static func isName(_ name: ByteText) -> Bool {
        (1...64).contains(name.rawValue.utf8.count)
            && name.rawValue.utf8.allSatisfy { byte in
                Base64URL.contains(byte) || [UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]")].contains(byte)
            }
    }

    /// Returns a JSON value without its secrets.
    ///
    /// - Parameter decodesTokens: whether a JWT becomes an object with its header and claims, or the mask.
    static func masked(_ value: JSONValue, named name: ByteText = "", decodesTokens: Bool) -> JSONValue {
        switch value {
        case .object where isSecret(name): .string(mask)
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map {
                        ($0, masked($1, named: $0, decodesTokens: decodesTokens))
                    }))
        case .array(let elements): .array(elements.map { masked($0, named: name, decodesTokens: decodesTokens) })
        case .string(let text): masked(text, named: name, decodesTokens: decodesTokens)
        case .integer, .number: isSecret(name) && !name.rawValue.isExactly("code") ? .string(mask) : value
        case .null, .bool: value
        }
    }

    private static func masked(_ text: String, named name: ByteText, decodesTokens: Bool) -> JSONValue {
        if let token = DecodedToken(text) { return decodesTokens ? token.json : .string(mask) }
        if isSecret(name) { return .string(text.isEmpty ? "" : mask) }
        let pairs = text.containsBytes(of: "=") ? FormDecoder.decode(query(of: text)) : nil
        if let pairs, pairs.contains(where: { isSecret($0.name) || DecodedToken($0.value) != nil }) {
            return .string(form(pairs))
        }
        // The text is a form, so an unreadable one can contain a token.
        if name == "postBody", pairs == nil { return .string(mask) }
        guard text.utf8.count > textLimit else { return .string(text) }
        return .string(String(decoding: text.utf8.prefix(textLimit), as: UTF8.self) + "…")
    }

    /// The query of a URL, or the whole text, which may be a form.
    private static func query(of text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let isURL = text.utf8.starts(with: "http".utf8)
        return isURL ? Array(bytes.drop { $0 != UInt8(ascii: "?") }.dropFirst()) : bytes
    }

    /// Returns the pairs of a form or query without their secrets, as `name=value`.
    static func form(_ pairs: [(name: ByteText, value: String)]) -> String {
        pairs.map { pair in
            isName(pair.name) ? "\(pair.name)=\(value(pair.value, named: pair.name))" : mask
        }.joined(separator: "&")
    }

    /// Returns the value of a parameter, or the mask.
    static func value(_ text: String, named name: ByteText) -> String {
        guard case .string(let masked) = masked(text, named: name, decodesTokens: false) else { return mask }
        return masked
    }
}

/// The header and the claims of a JWT, whose signature is not checked and not kept.
struct DecodedToken {
    let json: JSONValue

    /// - Returns: `nil` unless the text has three parts, of which the first two are JSON objects in base64url.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 16 * 1024,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1])
        else { return nil }
        json = .object(["header": header, "claims": claims])
    }

    private static func object(_ part: Substring) -> JSONValue? {
        // The reason why a part is not JSON does not matter.
        guard let bytes = Base64URL.decode(String(part)),
            case .object(let members)? = try? StrictJSON.decode(JSONValue.self, from: bytes)
        else { return nil }
        return .object(members)
    }
}
