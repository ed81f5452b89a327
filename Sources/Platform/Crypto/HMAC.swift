internal import CSystem

public enum HMAC {
    /// RFC 2104; 32 bytes. Keys may have any length; fewer than 32 bytes weaken the code.
    public static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        crypto_auth_hmacsha256_final(&state, &code)
        sodium_memzero(&state, MemoryLayout.size(ofValue: state))
        return code
    }
}
