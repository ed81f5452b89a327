/// An enumeration of the wire: the name of a value, or its index.
protocol WireEnum: RawRepresentable<String>, CaseIterable, Decodable {}

extension WireEnum {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let value: Self? =
            // Anything that is not a number has to be a name.
            if let index = try? container.decode(Int.self) {
                index < 0 ? nil : Self.allCases.dropFirst(index).first
            } else {
                Self(rawValue: try container.decode(String.self))
            }
        guard let value else {
            throw RequestRefusal.invalidField(
                container.codingPath.pointer, "must be equal to one of the allowed values")
        }
        self = value
    }
}

/// A member of which only the presence matters.
struct PresenceOnly: Decodable {
    init(from decoder: any Decoder) throws {}
}
