/// Why a password hash made elsewhere is not taken.
public enum PasswordHashFault: Error, Hashable, Sendable {
    case algorithmIsMissing
    case algorithmIsUnknown
    /// Known elsewhere, and nothing here can compute it.
    case algorithmIsUnsupported
    case keyIsMissing
    case keyLength(ClosedRange<Int>)
    case rounds(ClosedRange<Int>)
    case memoryCost(ClosedRange<Int>)
    case blockSize(ClosedRange<Int>)
    case parallelization(ClosedRange<Int>)
    case costIsNoPowerOfTwo
    /// One check would take too much memory or too long.
    case tooCostly
    case notBase64
    case saltLength(ClosedRange<Int>)
    case hashLength(ClosedRange<Int>)
    /// No string that bcrypt, Argon2 or crypt(3) would write.
    case unreadable
}
