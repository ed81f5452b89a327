internal import Crypto
package import HTTP

extension FormTokens {
    static func live(under masterKeys: MasterKeys) -> FormTokens {
        live(keys: masterKeys.keys(for: "form tokens").map(\.bytes))
    }

    /// - Parameter keys: at least one, of at least 32 random bytes each. The first one makes tokens, all are accepted.
    package static func live(keys: [[UInt8]]) -> FormTokens {
        FormTokens(
            macs: { message in keys.map { Array(HMAC.sha256(key: $0, message: message)) } },
            areEqual: { constantTimeEquals($0, $1) })
    }
}
