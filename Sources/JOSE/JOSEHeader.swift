/// The members of a JWS header that we act on (RFC 7515 §4.1).
struct JOSEHeader: Codable {
    let algorithm: String
    let keyID: String?
    let type: String?
    /// Present, whatever it lists.
    let isCritical: Bool

    private enum CodingKeys: String, CodingKey {
        case algorithm = "alg"
        case keyID = "kid"
        case type = "typ"
        case critical = "crit"
    }

    init(algorithm: String, keyID: String, type: String?) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.type = type
        isCritical = false
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        algorithm = try members.decode(String.self, forKey: .algorithm)
        keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
        type = try members.decodeIfPresent(String.self, forKey: .type)
        isCritical = members.contains(.critical)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(algorithm, forKey: .algorithm)
        try members.encodeIfPresent(keyID, forKey: .keyID)
        try members.encodeIfPresent(type, forKey: .type)
    }
}
