/// An integer that Firebase's protocol sends as text. A JSON number is accepted too.
struct DecimalText: Decodable, Sendable {
    let value: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Anything that is not a number has to be text.
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
