internal import CSystem

/// The two encodings of an ECDSA P-256 signature: DER for OpenSSL, and r followed by s for JOSE (RFC 7518 §3.4).
enum ECDSASignature {
    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &position, buffer.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            guard
                let r = OpenSSL.bytes(of: ECDSA_SIG_get0_r(signature), count: 32),
                let s = OpenSSL.bytes(of: ECDSA_SIG_get0_s(signature), count: 32)
            else { return nil }
            return r + s
        }
    }

    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = raw.withUnsafeBufferPointer { buffer in
            (BN_bin2bn(buffer.baseAddress, 32, nil), BN_bin2bn(buffer.baseAddress.map { $0 + 32 }, 32, nil))
        }
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: max(0, Int(i2d_ECDSA_SIG(signature, nil))))
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return i2d_ECDSA_SIG(signature, &position)
        }
        return written > 0 ? der : nil
    }
}
