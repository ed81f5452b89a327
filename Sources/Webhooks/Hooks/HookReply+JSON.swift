internal import Encoding
internal import Identity
internal import JSON

extension HookReply {
    /// Names of claims that are reserved here besides ``Claims/reserved``.
    private static let reservedClaims: Set<ByteText> = ["user_id"]
    private static let displayNameLimit = 256
    private static let photoURLLimit = 2048

    /// Reads the answer of a function: the members that `updateMask` names. Others are ignored.
    ///
    /// - Parameter convertsTypes: whether values of other JSON types are converted as JavaScript does.
    init(
        _ members: JSONObject, of event: BlockingFunctions.Event, convertsTypes: Bool
    ) throws(HookRefusal) {
        self.init()
        guard event.concernsAccount else { return }
        let record: JSONObject
        switch members["userRecord"] {
        case nil, .null?: return
        case .object(let object)?: record = object
        default: record = [:]
        }
        guard case .string(let mask)? = record["updateMask"], !mask.isEmpty else {
            throw .invalidReply("Response UserRecord is missing updateMask.")
        }
        for part in mask.split(separator: ",") {
            let field = String(part.filter { $0 != " " })
            switch field {
            case "displayName": displayName = .init(try Self.displayName(record["displayName"], convertsTypes))
            // Firebase's library for functions writes one name, and its emulator reads the other.
            case "photoURL", "photoUrl":
                photoURL = .init(try Self.photoURL(record["photoURL"] ?? record["photoUrl"], convertsTypes))
            case "disabled": isDisabled = try Self.boolean(record["disabled"], field, convertsTypes)
            case "emailVerified": emailIsVerified = try Self.boolean(record["emailVerified"], field, convertsTypes)
            case "customClaims": customClaims = try Self.claims(record["customClaims"], field)
            case "sessionClaims" where event == .beforeSignIn:
                sessionClaims = try Self.claims(record["sessionClaims"], field)
            default: break
            }
        }
    }

    private static func displayName(_ value: JSONValue?, _ convertsTypes: Bool) throws(HookRefusal) -> String? {
        guard let text = try text(value, "displayName", convertsTypes), !text.isEmpty else { return nil }
        guard text.unicodeScalars.count <= displayNameLimit,
            !text.unicodeScalars.contains(where: \.isControlOrLineSeparator)
        else {
            throw .invalidReply(
                "displayName must have at most \(displayNameLimit) characters, without control characters.")
        }
        return text
    }

    private static func photoURL(_ value: JSONValue?, _ convertsTypes: Bool) throws(HookRefusal) -> PhotoURL? {
        guard let text = try text(value, "photoURL", convertsTypes), !text.isEmpty else { return nil }
        guard text.unicodeScalars.count <= photoURLLimit, let url = PhotoURL(text) else {
            throw .invalidReply(
                "photoURL must have at most \(photoURLLimit) characters, without control characters.")
        }
        return url
    }

    private static func text(
        _ value: JSONValue?, _ field: String, _ convertsTypes: Bool
    ) throws(HookRefusal) -> String? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?: return text
        case .bool, .integer, .number:
            if convertsTypes { return value?.encodedText }
        case .array, .object:
            if convertsTypes { return nil }
        }
        throw .invalidReply("\(field) must be a string.")
    }

    private static func boolean(
        _ value: JSONValue?, _ field: String, _ convertsTypes: Bool
    ) throws(HookRefusal) -> Bool {
        if case .bool(let value)? = value { return value }
        guard convertsTypes else { throw .invalidReply("\(field) must be a Boolean.") }
        return switch value {
        case nil, .null?, .string("")?, .integer(0)?, .number(0)?: false
        default: true
        }
    }

    private static func claims(_ value: JSONValue?, _ field: String) throws(HookRefusal) -> Claims {
        let members: JSONObject
        switch value {
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
