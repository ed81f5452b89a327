public import Crypto
internal import Encoding
public import Identity

extension PasskeyChallenges {
    /// Issues challenges that only this installation can create.
    ///
    /// A challenge is the base64url of 54 bytes: expiry in seconds (5) | kind (1) | random bytes (16) |
    /// HMAC-SHA-256 (32) of these and of the binding. The length of the text is divisible by three, like that of a user
    /// handle; see ``PasskeyChallenges/Issued``.
    public static func signed(under masterKeys: MasterKeys) -> PasskeyChallenges {
        let keys = masterKeys.keys(for: "passkey challenges").map(\.bytes)
        let handleKeys = masterKeys.keys(for: "passkey user handles").map(\.bytes)
        return PasskeyChallenges(
            issue: { kind, end, binding in
                let expiry = (0..<expiryLength).reversed().map { UInt8(truncatingIfNeeded: end.seconds >> ($0 * 8)) }
                let content = expiry + [kind.rawValue] + Random.bytes(randomLength)
                let text = Base64URL.encode(content + mac(of: content, binding, under: keys[0]))
                return Issued(text: text, signUpHandle: signUpHandle(of: text, under: handleKeys[0]))
            },
            read: { challenge, binding in
                guard challenge.count == textLength else { return nil }
                let text = String(decoding: challenge, as: UTF8.self)
                guard let bytes = Base64URL.decode(text), bytes.count == expiryLength + 1 + randomLength + macLength
                else { return nil }
                let content = Array(bytes.dropLast(macLength))
                let received = Array(bytes.suffix(macLength))
                guard
                    let index = keys.firstIndex(where: {
                        constantTimeEquals(received, mac(of: content, binding, under: $0))
                    }), let kind = Kind(rawValue: content[expiryLength])
                else { return nil }
                let seconds = content.prefix(expiryLength).reduce(Int64(0)) { $0 << 8 | Int64($1) }
                return Content(
                    kind: kind,
                    replayKey: ReplayKey(hash: Digest.sha256(challenge), expiresAt: Instant(seconds: seconds)),
                    signUpHandle: signUpHandle(of: text, under: handleKeys[index]))
            },
            userHandles: { account, realm in
                let message = Array(joined(["account", realm.rawValue, account.rawValue]).utf8)
                return handleKeys.map { handle(of: message, under: $0) }
            })
    }

    private static let expiryLength = 5
    private static let randomLength = 16
    private static let macLength = 32
    private static let textLength = 72

    private static func mac(of content: [UInt8], _ binding: Binding, under key: [UInt8]) -> [UInt8] {
        let enrolment = binding.enrolment.map {
            [$0.account.rawValue, String($0.generation), $0.session.rawValue, $0.userHandle]
        }
        let names = [binding.realm.rawValue, binding.app.rawValue, binding.rpID] + (enrolment ?? [])
        return HMAC.sha256(key: key, message: Array(joined(names).utf8) + content)
    }

    private static func signUpHandle(of challenge: String, under key: [UInt8]) -> String {
        handle(of: Array(joined(["sign-up", challenge]).utf8), under: key)
    }

    /// Returns 48 characters of base64url.
    private static func handle(of message: [UInt8], under key: [UInt8]) -> String {
        let blocks = [UInt8(0), 1].map { Array(HMAC.sha256(key: key, message: message + [$0])) }
        return Base64URL.encode(blocks[0] + blocks[1].prefix(4))
    }

    /// Joins texts with their lengths, so that other texts have another result.
    private static func joined(_ texts: [String]) -> String { texts.map { "\($0.utf8.count):\($0)" }.joined() }
}
