internal import API
internal import Crypto

extension FormTokens {
    static func live(under masterKeys: MasterKeys) -> FormTokens {
        let keys = masterKeys.keys(for: "form tokens").map(\.bytes)
        return FormTokens(
            macs: { message in keys.map { Array(HMAC.sha256(key: $0, message: message)) } },
            areEqual: { constantTimeEquals($0, $1) })
    }
}
