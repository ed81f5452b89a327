internal import Encoding
internal import Identity
internal import JSON

/// The reason why custom claims are rejected.
enum ClaimsRefusal: Refusal {
    case tooLarge
    case invalid
    /// The name of a claim is reserved.
    case reserved(String)

    var code: ErrorCode {
        switch self {
        case .tooLarge: .claimsTooLarge
        case .invalid: .invalidClaims
        case .reserved: .forbiddenClaim
        }
    }

    var detail: String? {
        if case .reserved(let name) = self { name } else { nil }
    }
}

extension Claims {
    /// Checks the custom claims that an administrator sets: a JSON object of at most ``lengthLimit`` code points,
    /// without reserved names.
    init(checking json: String) throws(ClaimsRefusal) {
        guard json.unicodeScalars.count <= Self.lengthLimit else { throw .tooLarge }
        let members: JSONObject
        do {
            members = try StrictJSON.decode(JSONObject.self, from: Array(json.utf8))
        } catch {
            throw .invalid
        }
        guard !Self.hasLongExponent(json.utf8) else { throw .invalid }
        if let name = Self.firstReserved(among: members.keys) { throw .reserved(name) }
        self.init(json: json)
    }

    /// Returns the custom claims of an import without the claims that have reserved names, and the names of these. The
    /// claims are `nil` if none are left.
    static func withoutReserved(_ json: String) throws(ClaimsRefusal) -> (claims: Claims?, dropped: [String]) {
        do throws(ClaimsRefusal) {
            return (try Claims(checking: json), [])
        } catch {
            guard case .reserved = error else { throw error }
        }
        let (kept, dropped): (JSONObject, [String])
        let text: String
        do {
            let members = try StrictJSON.decode(JSONObject.self, from: Array(json.utf8))
            kept = members.filter { !isReserved($0.key) }
            dropped = members.keys.filter(isReserved).map(\.rawValue).sorted()
            text = try StrictJSON.text(JSONValue.object(kept))
        } catch {
            throw .invalid
        }
        return (kept.isEmpty ? nil : try Claims(checking: text), dropped)
    }

    /// Whether a number in the JSON text has an exponent of more than three digits. Many parsers read such numbers as
    /// infinity or zero, and PostgreSQL rejects the largest and the smallest of them.
    private static func hasLongExponent(_ json: String.UTF8View) -> Bool {
        var (isInString, isEscaped) = (false, false)
        var digits: Int?
        for byte in json {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "e"), UInt8(ascii: "E"): digits = 0
            case UInt8(ascii: "+"), UInt8(ascii: "-"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits.map { $0 + 1 }
                if digits == 4 { return true }
            default: digits = nil
            }
        }
        return false
    }
}
