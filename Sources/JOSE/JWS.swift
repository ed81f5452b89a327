public import Crypto
internal import JSONText

public enum JWS {
    /// Compact form (RFC 7515 §7.1), with the algorithm of the key.
    public static func sign(payload: [UInt8], keyID: String, type: String? = "JWT", with key: PrivateKey) throws
        -> String
    {
        let header = JOSEHeader(algorithm: key.algorithm.rawValue, keyID: keyID, type: type)
        let signingInput = try Base64URL.encode(StrictJSON.encode(header)) + "." + Base64URL.encode(payload)
        return try signingInput + "." + Base64URL.encode(key.sign(Array(signingInput.utf8)))
    }
}
