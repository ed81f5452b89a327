internal import CSystem
internal import Synchronization

/// A key that signs: P-256, or RSA with 2048 to 8192 bits. Threads may share it.
///
/// An OpenSSL context serves one thread at a time, so every signature copies a prepared context. The lock is held for
/// the copy, not for the signature.
public final class PrivateKey: @unchecked Sendable {
    /// Signed once when a key is imported, to check that the public and private halves belong together.
    private static let probe = Array("probe".utf8)

    public let publicKey: PublicKey
    // Immutable after `init`.
    private let key: OpaquePointer
    private let prepared: Mutex<PreparedSignature>

    /// Generating an RSA key (2048 bits) takes about 0.1 s of a core: do not call this on an event loop.
    public static func generate(_ algorithm: SignatureAlgorithm) throws -> PrivateKey {
        let key =
            switch algorithm {
            case .es256: shim_generate_p256()
            case .rs256: shim_generate_rsa(2048)
            }
        guard let key else { throw LibraryFault("EVP_PKEY_Q_keygen") }
        return try PrivateKey(adopting: key)
    }

    /// - Parameter key: freed by this object, also if it is rejected.
    init(adopting key: OpaquePointer) throws {
        do {
            publicKey = try PublicKey(publicHalfOf: key)
            prepared = Mutex(try PreparedSignature(key))
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
        guard try publicKey.verifies(sign(Self.probe), of: Self.probe) else { throw KeyFault.invalid }
    }

    deinit { EVP_PKEY_free(key) }

    public var algorithm: SignatureAlgorithm { publicKey.algorithm }

    /// - Returns: the signature in the JOSE encoding; see ``SignatureAlgorithm``.
    public func sign(_ message: [UInt8]) throws(LibraryFault) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard let context, prepared.withLock({ $0.copy(into: context) }) else {
            throw LibraryFault("EVP_MD_CTX_copy_ex")
        }
        var length = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
            throw LibraryFault("EVP_DigestSign")
        }
        signature.removeLast(signature.count - length)
        guard algorithm == .es256 else { return signature }
        guard let raw = ECDSASignature.raw(fromDER: signature) else { throw LibraryFault("d2i_ECDSA_SIG") }
        return raw
    }

    /// Gives other files of this module access to the key.
    func withHandle<Value>(_ body: (OpaquePointer) throws -> Value) rethrows -> Value { try body(key) }
}
