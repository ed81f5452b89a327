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

    // Names of members and parameters are in lower case here, without hyphens and underscores.
    private static let secretNames: Set<String> = [
        "codeverifier", "grant", "privatekey", "salt", "saltseparator", "sessionid", "sessioninfo", "sharedsecretkey",
        "signerkey",
    ]
    /// The ends of other names of secrets.
    private static let secretEndings = [
        "code", "codes", "cookie", "password", "passwordhash", "pendingcredential", "proof", "secret", "token",
    ]
    /// Names with such an end that are not secret: page tokens contain account IDs.
    private static let publicNames: Set<String> = ["errorcode", "nextpagetoken", "pagetoken"]
    /// The maximum number of texts that contain one another, for example a URL in the query of a URL.
    private static let depthLimit = 4

    static func isSecret(_ name: ByteText) -> Bool {
        let letters = String(name.rawValue.lowercased().filter { $0 != "_" && $0 != "-" })
        return secretNames.contains(letters)
            || secretEndings.contains { letters.endsExactly(with: $0) } && !publicNames.contains(letters)
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

    private static func masked(
        _ text: String, named name: ByteText, decodesTokens: Bool, depth: Int = 1
    ) -> JSONValue {
        if let token = DecodedToken(text) { return decodesTokens ? token.json : .string(mask) }
        if isSecret(name) { return .string(text.isEmpty ? "" : mask) }
        // The text is a form, so an unreadable one can contain a token.
        if name == "postBody", FormDecoder.decode(Array(text.utf8))?.allSatisfy({ isName($0.name) }) != true {
            return .string(mask)
        }
        let text = maskingForms(in: text, depth: depth)
        guard text.utf8.count > textLimit else { return .string(text) }
        return .string(String(decoding: text.utf8.prefix(textLimit), as: UTF8.self) + "…")
    }

    /// Masks the secrets in a form, and in the query and the fragment of a URL of any scheme.
    private static func maskingForms(in text: String, depth: Int) -> String {
        guard text.containsBytes(of: "=") else { return text }
        var masked = ""
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let part = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            masked += maskingForm(String(part) ?? "", depth: depth)
            rest = rest[part.endIndex...]
            if let separator = rest.popFirst() { masked.unicodeScalars.append(Unicode.Scalar(separator)) }
        }
        return masked
    }

    /// Returns the text unchanged unless it is a form with a secret.
    private static func maskingForm(_ text: String, depth: Int) -> String {
        guard text.containsBytes(of: "="), let pairs = FormDecoder.decode(Array(text.utf8)) else { return text }
        guard depth < depthLimit else { return mask }
        let hasSecret = pairs.contains { !value($0.value, named: $0.name, depth: depth + 1).isExactly($0.value) }
        return hasSecret ? form(pairs, depth: depth + 1) : text
    }

    /// Returns the pairs of a form or query without their secrets, as `name=value`.
    static func form(_ pairs: [(name: ByteText, value: String)], depth: Int = 1) -> String {
        pairs.map { pair in
            isName(pair.name) ? "\(pair.name)=\(value(pair.value, named: pair.name, depth: depth))" : mask
        }.joined(separator: "&")
    }

    /// Returns the value of a parameter, or the mask.
    static func value(_ text: String, named name: ByteText, depth: Int = 1) -> String {
        guard case .string(let masked) = masked(text, named: name, decodesTokens: false, depth: depth) else {
            return mask
        }
        return masked
    }
}

/// The header and the claims of a JWT, whose signature is not checked and not kept.
struct DecodedToken {
    let json: JSONValue

    /// - Returns: `nil` unless the text has three parts, of which the first two are JSON objects in base64url.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 64 * 1024,
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
