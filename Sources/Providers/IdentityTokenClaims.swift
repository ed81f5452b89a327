internal import Identity
internal import JSON

/// The claims of an identity token.
///
/// Unknown members are ignored, and `null` counts as absent. If providers use different types for a claim, each of them
/// is accepted.
struct IdentityTokenClaims: Sendable {
    /// Times from 1970 to the year 9999, in seconds.
    private static let times: ClosedRange<Double> = 0...253_402_300_799

    private let members: [String: JSONValue]

    init(_ payload: [UInt8]) throws(ProviderRefusal) {
        do {
            members = try StrictJSON.decode([String: JSONValue].self, from: payload)
        } catch {
            throw .invalidToken(.malformed)
        }
    }

    /// The claims of a token that is nested in another.
    init(_ members: [String: JSONValue]) {
        self.members = members
    }

    subscript(_ name: String) -> JSONValue? {
        let value = members[name]
        return value == .null ? nil : value
    }

    /// - Returns: `nil` unless the member is a string that is not empty.
    func text(_ name: String) -> String? {
        guard case .string(let text) = members[name], !text.isEmpty else { return nil }
        return text
    }

    /// Accepts `true` and `"true"`, because Apple and Google have sent both.
    func isTrue(_ name: String) -> Bool { members[name] == .bool(true) || members[name] == .string("true") }

    func isFalse(_ name: String) -> Bool { members[name] == .bool(false) || members[name] == .string("false") }

    /// - Returns: `nil` unless the member is an integer.
    func integer(_ name: String) -> Int64? {
        guard case .integer(let number) = members[name] else { return nil }
        return number
    }

    /// NumericDate (RFC 7519 §2), rounded down to the second.
    ///
    /// - Returns: `nil` if the member is absent.
    func time(_ name: String) throws(ProviderRefusal) -> Instant? {
        guard let value = self[name] else { return nil }
        guard let seconds = value.double, Self.times.contains(seconds) else { throw .claim(name) }
        return Instant(seconds: Int64(seconds))
    }

    /// `aud`, which is one string or a list of them (RFC 7519 §4.1.3).
    func audiences() throws(ProviderRefusal) -> [String] {
        switch self["aud"] {
        case .string(let one): return [one]
        case .array(let values):
            var several: [String] = []
            for value in values {
                guard case .string(let text) = value else { throw .claim("aud") }
                several.append(text)
            }
            return several
        default: throw .claim("aud")
        }
    }
}

extension JSONValue {
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

extension ProviderRefusal {
    /// The claim `name` is absent or invalid.
    static func claim(_ name: String) -> ProviderRefusal { .invalidToken(.claim(name)) }
}

extension String {
    /// Compares bytes, because Swift's comparison treats canonically equivalent characters as equal: U+212A and `K`.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension [String] {
    func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
