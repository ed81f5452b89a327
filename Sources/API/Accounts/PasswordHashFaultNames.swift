public import Identity

extension PasswordHashFault {
    /// What is told of a single entry.
    public var message: String {
        switch self {
        case .algorithmIsMissing: "passwordHash needs a hashAlgorithm"
        case .algorithmIsUnknown: "hashAlgorithm is unknown"
        case .algorithmIsUnsupported: "this kind of hash is not supported"
        case .keyIsMissing: "passwordHash needs the signerKey it was made with"
        case .keyLength(let range): "signerKey must have \(range.words) bytes"
        case .rounds(let range): "rounds must be \(range.words)"
        case .memoryCost(let range): "the memory cost must be \(range.words)"
        case .blockSize(let range): "blockSize must be \(range.words)"
        case .parallelization(let range): "the parallelization must be \(range.words)"
        case .costIsNoPowerOfTwo: "the memory cost must be a power of two"
        case .tooCostly: "passwordHash would take too much memory or time to check"
        case .notBase64: "passwordHash and salt must be base64"
        case .saltLength(let range): "salt must have \(range.words) bytes"
        case .hashLength(let range): "passwordHash must have \(range.words) bytes"
        case .unreadable: "passwordHash is not of the kind that was said"
        }
    }

    /// What is told of a request whose parameters will not do.
    var wireError: WireError {
        switch self {
        case .algorithmIsMissing: .refused("MISSING_HASH_ALGORITHM")
        case .algorithmIsUnknown: .refused("INVALID_HASH_ALGORITHM")
        case .algorithmIsUnsupported: .notImplemented("hashAlgorithm")
        case .keyIsMissing: .refused("EMPTY_HASH_KEY")
        case .rounds: .refused("INVALID_HASH_ROUNDS : \(message)")
        case .memoryCost: .refused("INVALID_HASH_MEMORY_COSTS : \(message)")
        case .keyLength, .blockSize, .parallelization, .costIsNoPowerOfTwo, .tooCostly, .notBase64, .saltLength,
            .hashLength, .unreadable:
            .refused("INVALID_HASH_PARAMETER : \(message)")
        }
    }
}

extension ClosedRange<Int> {
    fileprivate var words: String {
        lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)"
    }
}
