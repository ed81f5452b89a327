/// A number that the protocol sends as a JSON string, such as `expiresIn`. A JSON number is accepted too.
struct StringEncodedNumber: Decodable, Sendable {
    let value: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value that is not a JSON number must be a string.
        if let number = try? container.decode(Double.self) {
            value = number
            return
        }
        guard let number = Double(try container.decode(String.self)), number.isFinite else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a decimal number")
        }
        value = number
    }
}
