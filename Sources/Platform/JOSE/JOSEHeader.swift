/// The members of a JWS header that we use (RFC 7515 §4.1).
struct JOSEHeader: Decodable {
    let algorithm: String
    let keyID: String?
    let type: String?
    /// Whether `crit` is present, whatever it lists.
    let isCritical: Bool

    private enum CodingKeys: String, CodingKey {
        case algorithm = "alg"
        case keyID = "kid"
        case type = "typ"
        case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        algorithm = try members.decode(String.self, forKey: .algorithm)
        keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
        type = try members.decodeIfPresent(String.self, forKey: .type)
        isCritical = members.contains(.critical)
    }
}
