internal import Encoding

/// The variant, the cost and the number of lanes of an Argon2 hash, from its PHC string.
struct Argon2Parameters: Equatable {
    enum Variant: String {
        case argon2i
        case argon2id
    }

    let variant: Variant
    let cost: PasswordHash.Cost
    let lanes: Int

    init(_ variant: Variant = .argon2id, cost: PasswordHash.Cost, lanes: Int) {
        self.variant = variant
        self.cost = cost
        self.lanes = lanes
    }

    /// - Returns: `nil` unless `$argon2id$v=19$m=…,t=…,p=…$salt$hash` (or `$argon2i$`) with numbers within bounds.
    init?(phc: String) {
        let fields = phc.split(separator: "$", omittingEmptySubsequences: false)
        guard phc.utf8.count <= 512, fields.count == 6, fields[0].isEmpty,
            let variant = Variant(rawValue: String(fields[1])),
            fields[2] == "v=19"
        else { return nil }
        let parameters = fields[3].split(separator: ",", omittingEmptySubsequences: false)
        guard
            parameters.count == 3, fields[4...].allSatisfy(Self.isBase64),
            let memoryKiB = Self.value(of: "m=", in: parameters[0]),
            let iterations = Self.value(of: "t=", in: parameters[1]),
            let lanes = Self.value(of: "p=", in: parameters[2]), (1...16).contains(lanes),
            // The error does not matter: the gateway never creates hashes whose cost is out of range.
            let cost = try? PasswordHash.Cost(memoryKiB: memoryKiB, iterations: iterations)
        else { return nil }
        self.init(variant, cost: cost, lanes: lanes)
    }

    /// Whether a field has only Base64 characters. In particular, it must not contain a NUL: libsodium reads C strings,
    /// and would ignore any text after the NUL.
    private static func isBase64(_ field: Substring) -> Bool {
        !field.isEmpty && field.utf8.allSatisfy(Base64.contains)
    }

    private static func value(of name: String, in parameter: Substring) -> Int? {
        guard parameter.beginsExactly(with: name), parameter.utf8.count <= 12 else { return nil }
        return Int(parameter.dropFirst(name.count))
    }
}
