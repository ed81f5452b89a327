/// Why the gateway does not accept a password hash of another system. A case with a range names a parameter that is
/// missing or outside that range.
public enum PasswordHashRefusal: Refusal, Hashable {
    case algorithmIsMissing
    case algorithmIsUnknown
    /// A known algorithm that this release cannot compute.
    case algorithmIsUnsupported
    case keyIsMissing
    case keyLength(ClosedRange<Int>)
    case rounds(ClosedRange<Int>)
    case memoryCost(ClosedRange<Int>)
    case blockSize(ClosedRange<Int>)
    case parallelization(ClosedRange<Int>)
    case costIsNotPowerOfTwo
    /// A check would need more memory than the limit.
    case memory(limitKiB: Int)
    /// The product of scrypt's parameters exceeds the limit.
    case scryptWork(limit: Int)
    /// The product of Argon2's memory in KiB and its number of iterations exceeds the limit.
    case argon2Work(limit: Int)
    case notBase64
    case saltLength(ClosedRange<Int>)
    case hashLength(ClosedRange<Int>)
    /// The hash does not have the form of the stated algorithm, or of any supported self-describing hash.
    case unreadable
}

extension PasswordHashRefusal {
    public var code: ErrorCode {
        switch self {
        case .algorithmIsMissing, .algorithmIsUnknown: .invalidHashAlgorithm
        case .algorithmIsUnsupported: .notImplemented
        case .keyIsMissing: .emptyHashKey
        case .rounds: .invalidHashRounds
        case .memoryCost: .invalidHashMemoryCosts
        case .keyLength, .blockSize, .parallelization, .costIsNotPowerOfTwo, .memory, .scryptWork, .argon2Work,
            .notBase64, .saltLength, .hashLength, .unreadable:
            .invalidHashParameter
        }
    }

    public var detail: String? {
        switch self {
        case .algorithmIsMissing, .algorithmIsUnknown, .keyIsMissing: nil
        case .algorithmIsUnsupported, .keyLength, .rounds, .memoryCost, .blockSize, .parallelization,
            .costIsNotPowerOfTwo, .memory, .scryptWork, .argon2Work, .notBase64, .saltLength, .hashLength, .unreadable:
            problem
        }
    }

    public var message: String {
        self == .algorithmIsUnsupported ? "hashAlgorithm is not implemented." : codeWithDetail
    }

    /// The reason as text, for the error of a request or of one entry of an import.
    public var problem: String {
        switch self {
        case .algorithmIsMissing: "passwordHash needs a hashAlgorithm"
        case .algorithmIsUnknown: "hashAlgorithm is unknown"
        case .algorithmIsUnsupported: "this kind of hash is not supported"
        case .keyIsMissing: "passwordHash needs the signerKey that it was computed with"
        case .keyLength(let range): "signerKey must have \(range.text) bytes"
        case .rounds(let range): "rounds must be \(range.text)"
        case .memoryCost(let range): "the memory cost must be \(range.text)"
        case .blockSize(let range): "blockSize must be \(range.text)"
        case .parallelization(let range): "the parallelization must be \(range.text)"
        case .costIsNotPowerOfTwo: "the memory cost must be a power of two"
        case .memory(let limit): "a check of passwordHash must not need more than \(limit) KiB of memory"
        case .scryptWork(let limit): "the memory cost times blockSize times parallelization must be at most \(limit)"
        case .argon2Work(let limit): "the memory cost in KiB times the iterations must be at most \(limit)"
        case .notBase64: "passwordHash and salt must be base64"
        case .saltLength(let range): "salt must have \(range.text) bytes"
        case .hashLength(let range): "passwordHash must have \(range.text) bytes"
        case .unreadable: "passwordHash does not match the stated hash algorithm"
        }
    }
}

extension ClosedRange<Int> {
    fileprivate var text: String {
        lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)"
    }
}
