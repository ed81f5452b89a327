extension PasswordScheme {
    /// The parameters of an import as the caller sent them, unchecked.
    public struct Input: Sendable {
        /// Firebase's name of the algorithm, or `CRYPT` for self-describing hashes: strings of crypt(3), bcrypt and
        /// Argon2, and the text of a ``ForeignHash``.
        public var algorithm: String
        public var key: PasswordKey?
        public var saltSeparator: [UInt8] = []
        public var rounds: Int?
        public var memoryCost: Int?
        public var parallelization: Int?
        public var blockSize: Int?
        public var hashLength: Int?
        public var order: HashMethod.Order?
        public var argon2: Argon2?

        public init(algorithm: String) {
            self.algorithm = algorithm
        }
    }

    public struct Argon2: Sendable {
        /// `ARGON2_ID` or `ARGON2_I`.
        public var type: String
        public var hashLength: Int?
        public var parallelism: Int
        public var iterations: Int
        public var memoryKiB: Int
        /// Whether the hashes use version 1.3 (`v=19`) and no associated data (RFC 9106 §3.1), as stored hashes do.
        public var isVersion13WithoutAssociatedData: Bool

        public init(
            type: String, hashLength: Int?, parallelism: Int, iterations: Int, memoryKiB: Int,
            isVersion13WithoutAssociatedData: Bool
        ) {
            self.type = type
            self.hashLength = hashLength
            self.parallelism = parallelism
            self.iterations = iterations
            self.memoryKiB = memoryKiB
            self.isVersion13WithoutAssociatedData = isVersion13WithoutAssociatedData
        }
    }

    /// - Throws: ``PasswordHashRefusal`` if a parameter is missing, unknown or out of bounds.
    public init(_ input: Input) throws(PasswordHashRefusal) {
        let name = input.algorithm
        switch name {
        case "BCRYPT": self.init(.selfDescribing(family: .bcrypt))
        case "CRYPT": self = Self(.selfDescribing(family: nil), key: input.key)
        case "ARGON2": self = try Self(argon2: input)
        default:
            let method = try HashMethod(input)
            if method.needsKey {
                // Firebase's hash is as long as its key. A wrong password could match a short hash by chance.
                let range = method.isFirebaseScrypt ? HashMethod.hashLength : HashMethod.keyLength
                guard let key = input.key, !key.bytes.isEmpty else { throw .keyIsMissing }
                guard range.contains(key.bytes.count) else { throw .keyLength(range) }
            }
            guard HashMethod.saltLength.contains(input.saltSeparator.count) else {
                throw .saltLength(HashMethod.saltLength)
            }
            // Parameters that apply to every hash are checked once, before any hash. Where neither the algorithm nor
            // the import states the length of a hash, 64 bytes are assumed, which is a valid length.
            try method.check(hashLength: method.function?.length ?? input.hashLength ?? 64)
            self.init(
                .foreign(method, separator: method.isFirebaseScrypt ? input.saltSeparator : []),
                key: method.needsKey ? input.key : nil, hashLength: name == "STANDARD_SCRYPT" ? input.hashLength : nil)
        }
    }

    private init(argon2 input: Input) throws(PasswordHashRefusal) {
        guard let argon2 = input.argon2 else { throw .algorithmIsUnsupported }
        guard argon2.isVersion13WithoutAssociatedData,
            let variant = ["ARGON2_ID": "argon2id", "ARGON2_I": "argon2i"][argon2.type]
        else { throw .algorithmIsUnsupported }
        self.init(
            .argon2(
                variant: variant, memoryKiB: argon2.memoryKiB, iterations: argon2.iterations,
                lanes: argon2.parallelism),
            hashLength: argon2.hashLength)
    }
}

extension HashMethod {
    fileprivate var isFirebaseScrypt: Bool {
        if case .firebaseScrypt = self { true } else { false }
    }

    fileprivate var function: Function? {
        switch self {
        case .digest(let function, _, _), .hmac(let function, _), .pbkdf2(let function, _): function
        case .scrypt, .firebaseScrypt: nil
        }
    }

    fileprivate init(_ input: PasswordScheme.Input) throws(PasswordHashRefusal) {
        switch input.algorithm {
        case "MD5", "SHA1", "SHA256", "SHA512":
            guard let function = Function(rawValue: input.algorithm.lowercased()) else { throw .algorithmIsUnknown }
            guard let rounds = input.rounds else { throw .rounds(Self.digestRounds) }
            self = .digest(function, rounds: rounds, order: input.order ?? .saltFirst)
        case "HMAC_MD5", "HMAC_SHA1", "HMAC_SHA256", "HMAC_SHA512":
            guard let function = Function(rawValue: String(input.algorithm.dropFirst(5)).lowercased()) else {
                throw .algorithmIsUnknown
            }
            self = .hmac(function, order: input.order ?? .passwordFirst)
        case "PBKDF_SHA1", "PBKDF2_SHA256":
            guard let rounds = input.rounds else { throw .rounds(1...Self.pbkdf2Work) }
            self = .pbkdf2(input.algorithm == "PBKDF_SHA1" ? .sha1 : .sha256, iterations: rounds)
        case "SCRYPT":
            guard let rounds = input.rounds else { throw .rounds(Self.firebaseRounds) }
            guard let memoryCost = input.memoryCost else { throw .memoryCost(Self.firebaseMemoryCost) }
            self = .firebaseScrypt(memoryCost: memoryCost, rounds: rounds)
        case "STANDARD_SCRYPT":
            guard let cost = input.memoryCost else { throw .memoryCost(Self.scryptCost) }
            guard let blockSize = input.blockSize else { throw .blockSize(Self.scryptBlockSize) }
            guard let parallelization = input.parallelization else {
                throw .parallelization(Self.scryptParallelization)
            }
            self = .scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
        default: throw .algorithmIsUnknown
        }
    }
}
