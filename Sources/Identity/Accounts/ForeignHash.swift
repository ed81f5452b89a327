internal import Encoding

/// A password hash of another system, with everything that verification needs except the secret key.
///
/// Stored as one string, similar to PHC strings: `$name$parameter=value,…$salt$hash`, with salt and hash in base64
/// without padding; the parameter `k` is the ID of the key. Self-describing hashes of crypt(3) and Argon2 are not
/// stored in this form: see ``EncodedHash``.
public struct ForeignHash: Hashable, Sendable {
    public let method: HashMethod
    /// The ID of the stored secret key; `nil` if the method needs no key.
    public let key: ID<PasswordKey>?
    public let salt: [UInt8]
    public let hash: [UInt8]

    /// - Throws: ``PasswordHashRefusal`` if a value is out of bounds, or a key is missing or not needed.
    init(_ method: HashMethod, key: ID<PasswordKey>?, salt: [UInt8], hash: [UInt8]) throws(PasswordHashRefusal) {
        guard HashMethod.saltLength.contains(salt.count) else { throw .saltLength(HashMethod.saltLength) }
        try method.check(hashLength: hash.count)
        guard method.needsKey == (key != nil) else { throw method.needsKey ? .keyIsMissing : .unreadable }
        self.method = method
        self.key = key
        self.salt = salt
        self.hash = hash
    }

    public var text: String {
        let parameters = (key.map { [("k", $0.rawValue)] } ?? []) + method.parameters
        var text = "$" + method.name
        for (index, parameter) in parameters.enumerated() {
            text += index == 0 ? "$" : ","
            text += parameter.0
            text += "="
            text += parameter.1
        }
        for part in [salt, hash] {
            text += "$"
            text += Base64.encodeUnpadded(part)
        }
        return text
    }

    /// - Returns: `nil` unless the string has the format of ``text``, and every value is within its bounds.
    public init?(text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard text.utf8.count <= 1024, fields.count == 5, fields[0].isEmpty,
            let salt = Base64.decode(String(fields[3])), let hash = Base64.decode(String(fields[4]))
        else { return nil }
        var parameters: [String: String] = [:]
        for parameter in fields[2].split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = parameter.firstIndex(of: "=") else { return nil }
            parameters[String(parameter[..<equals])] = String(parameter[parameter.index(after: equals)...])
        }
        let key = parameters.removeValue(forKey: "k").map { ID<PasswordKey>($0) }
        guard let method = HashMethod(name: String(fields[1]), parameters: parameters) else { return nil }
        do {
            try self.init(method, key: key, salt: salt, hash: hash)
        } catch {
            return nil
        }
    }

    /// Returns the same hash with `key` as key ID: the ID under which the importing realm stores the secret key. Has no
    /// effect if the method needs no key.
    func keyed(by key: ID<PasswordKey>?) throws(PasswordHashRefusal) -> ForeignHash {
        try ForeignHash(method, key: method.needsKey ? key : nil, salt: salt, hash: hash)
    }
}

extension HashMethod {
    fileprivate var name: String {
        switch self {
        case .digest(let function, _, _): function.rawValue
        case .hmac(let function, _): "hmac-\(function.rawValue)"
        case .pbkdf2(let function, _): "pbkdf2-\(function.rawValue)"
        case .scrypt: "scrypt"
        case .firebaseScrypt: "firebase-scrypt"
        }
    }

    fileprivate var parameters: [(String, String)] {
        switch self {
        case .digest(_, let rounds, let order): [("i", "\(rounds)"), ("o", order.rawValue)]
        case .hmac(_, let order): [("o", order.rawValue)]
        case .pbkdf2(_, let iterations): [("i", "\(iterations)")]
        case .scrypt(let cost, let blockSize, let parallelization):
            [("n", "\(cost)"), ("r", "\(blockSize)"), ("p", "\(parallelization)")]
        case .firebaseScrypt(let memoryCost, let rounds): [("m", "\(memoryCost)"), ("r", "\(rounds)")]
        }
    }

    fileprivate init?(name: String, parameters: [String: String]) {
        func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }
        let parts = name.split(separator: "-", maxSplits: 1)
        let function = parts.last.flatMap { Function(rawValue: String($0)) }
        let order = parameters["o"].flatMap(Order.init)
        switch (parts.first, function) {
        case ("hmac", let function?):
            guard let order else { return nil }
            self = .hmac(function, order: order)
        case ("pbkdf2", let function?):
            guard let iterations = number("i") else { return nil }
            self = .pbkdf2(function, iterations: iterations)
        case (_, let function?) where parts.count == 1:
            guard let rounds = number("i"), let order else { return nil }
            self = .digest(function, rounds: rounds, order: order)
        case ("scrypt", nil) where parts.count == 1:
            guard let cost = number("n"), let blockSize = number("r"), let parallelization = number("p") else {
                return nil
            }
            self = .scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
        case ("firebase", nil) where name == "firebase-scrypt":
            guard let memoryCost = number("m"), let rounds = number("r") else { return nil }
            self = .firebaseScrypt(memoryCost: memoryCost, rounds: rounds)
        default: return nil
        }
    }
}
