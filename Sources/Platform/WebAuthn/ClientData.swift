internal import Crypto
internal import Encoding
internal import JSON

/// What the client says about a ceremony (WebAuthn Level 3 §5.8.1). The authenticator signs its digest.
struct ClientData: Sendable {
    /// The value of the member `type`.
    enum Ceremony: String {
        case registration = "webauthn.create"
        case authentication = "webauthn.get"
    }

    /// In bytes.
    static let maximumLength = 4 * 1024

    let type: String
    let challenge: [UInt8]
    let origin: String
    let crossOrigin: Bool
    let topOrigin: String?
    /// SHA-256 of the bytes that the client sent.
    let digest: [UInt8]

    /// - Parameter json: may begin with a byte order mark, which the specification's "UTF-8 decode" removes.
    init(parsing json: [UInt8]) throws(WebAuthnFault) {
        guard json.count <= Self.maximumLength else { throw .tooLong }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = json.starts(with: byteOrderMark) ? Array(json.dropFirst(byteOrderMark.count)) : json
        let members: Members
        do {
            members = try StrictJSON.decode(Members.self, from: text)
        } catch {
            throw .clientDataMalformed
        }
        guard let challenge = Base64URL.decode(members.challenge) else { throw .clientDataMalformed }
        self.challenge = challenge
        type = members.type
        origin = members.origin
        crossOrigin = members.crossOrigin ?? false
        topOrigin = members.topOrigin
        digest = Digest.sha256(json)
    }

    /// Steps 7 to 11 of a registration, and 10 to 14 of an authentication.
    func check(_ ceremony: Ceremony, challenge: [UInt8], by policy: RelyingPartyPolicy) throws(WebAuthnFault) {
        guard type.isExactly(ceremony.rawValue) else { throw .wrongType }
        guard constantTimeEquals(self.challenge, challenge) else { throw .wrongChallenge }
        guard policy.accepts(origin: origin) else { throw .wrongOrigin }
        guard case .onlyIn(let topOrigins) = policy.embedding else { return }
        if let topOrigin {
            guard topOrigins.containsExactly(topOrigin) else { throw .wrongTopOrigin }
        } else if crossOrigin {
            throw .crossOrigin
        }
    }

    /// Clients may add other members, which are ignored.
    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }
}
