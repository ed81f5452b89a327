internal import Crypto
internal import Encoding
internal import Gateway
internal import Identity
internal import Synchronization

/// The codes for telephone numbers of `dev`, which are stored in memory instead of being sent. `serve` cannot use this
/// type.
final class CapturedPhoneCodes: Sendable {
    struct Captured: Sendable {
        let code: String
        let sessionInfo: String
        let number: PhoneNumber
        let purpose: PhoneCode.Purpose
        let realm: ID<Realm>

        /// SHA-256 of the session, in hexadecimal.
        var hash: String { Hexadecimal.encode(Digest.sha256(Array(sessionInfo.utf8))) }
    }

    /// The maximum number of stored codes. Beyond it, the oldest are removed.
    static let limit = 1000

    private let codes = Mutex<[Captured]>([])

    /// Returns the stored codes of a project or tenant, oldest first.
    func codes(in realm: ID<Realm>) -> [Captured] { codes.withLock { $0.filter { $0.realm == realm } } }

    /// Returns a copy of `secrets` that also stores each issued code in this object, and calls `report` with it.
    func capturing(
        _ secrets: PhoneCodeSecrets, report: @escaping @Sendable (Captured) -> Void = { _ in }
    ) -> PhoneCodeSecrets {
        var capturing = secrets
        capturing.didIssue = { [self] code, sessionInfo, issued in
            let captured = Captured(
                code: code, sessionInfo: sessionInfo, number: issued.binding.number, purpose: issued.binding.purpose,
                realm: issued.binding.realm)
            codes.withLock { codes in
                codes.append(captured)
                if codes.count > Self.limit { codes.removeFirst() }
            }
            report(captured)
        }
        return capturing
    }
}
