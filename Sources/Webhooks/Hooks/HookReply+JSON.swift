internal import Encoding
internal import Identity
internal import JSON

extension HookReply {
    /// Names of claims that Firebase reserves besides those of the gateway's own tokens.
    private static let reservedClaims: Set<ByteText> = ["sub", "user_id", "sid", "act", "tenant", "firebase"]
    private static let displayNameLimit = 256

    /// Reads the answer of a function: the members that `updateMask` names. Others are ignored.
    ///
    /// - Parameter convertsTypes: whether a text that is `true` or `false` is a Boolean.
    init(
        _ members: JSONObject, of event: BlockingFunctions.Event, convertsTypes: Bool
    ) throws(HookRefusal) {
        self.init()
        guard case .object(let record)? = members["userRecord"], event != .beforeSendEmail else { return }
        guard case .string(let mask)? = record["updateMask"] else {
            throw .invalidReply("Response UserRecord is missing updateMask.")
        }
        for field in mask.split(separator: ",").map({ $0.filter { $0 != " " } }) {
            switch field {
            case "displayName": displayName = .init(try Self.displayName(record["displayName"]))
            // Firebase's library for functions writes one name, and its emulator reads the other.
            case "photoURL", "photoUrl":
                photoURL = .init(try Self.photoURL(record["photoURL"] ?? record["photoUrl"]))
            case "disabled": isDisabled = try Self.boolean(record["disabled"], field, convertsTypes)
            case "emailVerified": emailIsVerified = try Self.boolean(record["emailVerified"], field, convertsTypes)
            case "customClaims": customClaims = try Self.claims(record["customClaims"], field)
            case "sessionClaims" where event == .beforeSignIn:
                sessionClaims = try Self.claims(record["sessionClaims"], field)
            default: break
            }
        }
    }

    private static func displayName(_ value: JSONValue?) throws(HookRefusal) -> String? {
        guard let text = try text(value, "displayName") else { return nil }
        guard text.utf8.count <= displayNameLimit || text.unicodeScalars.count <= displayNameLimit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .invalidReply("displayName must have at most 256 characters without control characters.") }
        return text.isEmpty ? nil : text
    }

    private static func photoURL(_ value: JSONValue?) throws(HookRefusal) -> PhotoURL? {
        guard let text = try text(value, "photoURL"), !text.isEmpty else { return nil }
        guard let url = PhotoURL(text) else { throw .invalidReply("photoURL is not valid.") }
        return url
    }

    private static func text(_ value: JSONValue?, _ field: String) throws(HookRefusal) -> String? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalidReply("\(field) must be a string.")
        }
    }

    private static func boolean(
        _ value: JSONValue?, _ field: String, _ convertsTypes: Bool
    ) throws(HookRefusal) -> Bool {
        switch value {
        case .bool(let value)?: return value
        case nil, .null?: return false
        case .string("true")? where convertsTypes: return true
        case .string("false")? where convertsTypes: return false
        default: throw .invalidReply("\(field) must be a Boolean.")
        }
    }

    private static func claims(_ value: JSONValue?, _ field: String) throws(HookRefusal) -> Claims {
        let members: JSONObject
        switch value {
        case nil, .null?: members = [:]
        case .object(let object)?: members = object
        default: throw .invalidReply("\(field) must be an object.")
        }
        if let name = Claims.firstReserved(among: members.keys)
            ?? members.keys.filter({ reservedClaims.contains(Claims.folded($0)) }).min()?.rawValue
        {
            throw .invalidReply("\(field) has the reserved claim \(name).")
        }
        let text = JSONValue.object(members).encodedText
        guard text.unicodeScalars.count <= Claims.lengthLimit else {
            throw .invalidReply("\(field) must have at most \(Claims.lengthLimit) characters.")
        }
        return Claims(json: text)
    }
}
