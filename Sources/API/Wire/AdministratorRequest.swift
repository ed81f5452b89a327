internal import Identity
internal import JSON

/// What every operation of administrators may name. A service key belongs to one project, so another one is refused;
/// a tenant that is named has been found already, or there is none.
struct TargetFields: Decodable {
    let tenantId: String?
    let targetProjectId: String?

    func check(for administrator: Administrator) throws(WireError) {
        guard targetProjectId.nonEmpty == nil || targetProjectId == administrator.project.id.rawValue else {
            throw .permissionDenied
        }
        guard tenantId.nonEmpty == nil || tenantId == administrator.project.tenant?.id.rawValue else {
            throw .tenantNotFound
        }
    }
}

extension EndpointCall {
    /// What the body names as the project to be administered.
    func targetProject() throws -> ID<Project>? {
        try decoded(as: TargetFields.self).targetProjectId.nonEmpty.map { ID($0) }
    }
}

extension EndpointCall {
    /// - Throws: ``WireError``.
    func body<Content: Decodable>(as type: Content.Type = Content.self, for administrator: Administrator) throws
        -> Content
    {
        try decoded(as: TargetFields.self).check(for: administrator)
        return try decoded(as: type)
    }
}

extension ID where Subject == Account {
    /// - Throws: `MISSING_LOCAL_ID` for nothing.
    init(named text: String?) throws(WireError) {
        guard let text = text.nonEmpty else { throw .refused("MISSING_LOCAL_ID") }
        self.init(text)
    }

    /// - Returns: `nil` for nothing.
    static func chosen(_ text: String?) throws(WireError) -> ID? {
        guard let text = text.nonEmpty else { return nil }
        guard let id = ID(chosen: text) else {
            throw .invalidField("/localId", "must be 1 to 128 printable ASCII characters without blank and slash")
        }
        return id
    }
}

extension Instant {
    /// 64-bit integers are text on the wire. Year 9999 is the end of time.
    ///
    /// - Returns: `nil` for nothing.
    static func parsing(seconds text: String?, at pointer: String) throws(WireError) -> Instant? {
        try parsing(text, unit: 1_000_000, at: pointer)
    }

    static func parsing(milliseconds text: String?, at pointer: String) throws(WireError) -> Instant? {
        try parsing(text, unit: 1000, at: pointer)
    }

    private static let last: Int64 = 253_402_300_799_000_000

    private static func parsing(_ text: String?, unit: Int64, at pointer: String) throws(WireError) -> Instant? {
        guard let text = text.nonEmpty else { return nil }
        guard let number = Int64(text), (0...last / unit).contains(number) else {
            throw .invalidField(pointer, "must be a whole number of a time before the year 10000")
        }
        return Instant(microseconds: number * unit)
    }
}

extension Claims {
    /// Why a text cannot be an account's claims.
    enum Fault: Error {
        case tooLarge
        case notAnObject
        case reserved(String)
    }

    /// - Throws: ``Fault``.
    init(checking json: String) throws {
        guard json.unicodeScalars.count <= Self.lengthLimit else { throw Fault.tooLarge }
        let members: [String: JSONValue]
        do {
            members = try StrictJSON.decode([String: JSONValue].self, from: Array(json.utf8))
        } catch {
            throw Fault.notAnObject
        }
        guard !Self.hasEndlessExponent(json.utf8) else { throw Fault.notAnObject }
        if let name = Self.firstReserved(among: members.keys) { throw Fault.reserved(name) }
        self.init(json: json)
    }

    /// Whether a number of strict JSON has more than three digits behind its `e`: what most readers take for zero, and
    /// PostgreSQL for no number.
    private static func hasEndlessExponent(_ json: String.UTF8View) -> Bool {
        var (isText, isEscaped) = (false, false)
        var digits: Int?
        for byte in json {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case _ where isText: break
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

extension WireError {
    init(_ fault: Claims.Fault) {
        self =
            switch fault {
            case .tooLarge: .refused("CLAIMS_TOO_LARGE")
            case .notAnObject: .refused("INVALID_CLAIMS")
            case .reserved(let name): .refused("FORBIDDEN_CLAIM : \(name)")
            }
    }
}
