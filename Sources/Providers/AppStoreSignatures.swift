internal import Crypto
internal import Encoding
public import Identity
internal import JOSE
internal import JSON

/// Verifies what the App Store signs: server notifications, and the app transactions of users.
public struct AppStoreSignatures: Sendable {
    /// SHA-256 of Apple Root CA - G3.
    public static let appleRoot = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    /// The maximum length in bytes. A notification contains a second signed text, and each has three certificates.
    static let maximumLength = 64 * 1024
    private static let leafExtension = "1.2.840.113635.100.6.11.1"
    private static let intermediateExtension = "1.2.840.113635.100.6.2.1"
    /// Texts that Xcode or a local test has signed have other environments.
    private static let environments = ["Production", "Sandbox"]
    private static let oldest: Double = 946_684_800_000

    private let path: CertificatePath

    /// - Parameter rootFingerprint: SHA-256 of the trusted root in hexadecimal digits; another one than Apple's only in
    ///   tests.
    public init(rootFingerprint: String = appleRoot) {
        path = CertificatePath(
            rootFingerprint: Hexadecimal.decode(rootFingerprint) ?? [], leafExtension: Self.leafExtension,
            intermediateExtension: Self.intermediateExtension)
    }

    public var verifier: AppStoreVerifier {
        AppStoreVerifier { text, now throws(AppStoreRefusal) in
            try notification(text, at: now)
        } transaction: { text, now throws(AppStoreRefusal) in
            try transaction(in: text, at: now)
        }
    }

    private func notification(_ text: String, at now: Instant) throws(AppStoreRefusal) -> AppStoreNotification {
        let (claims, signedAt) = try verified(text, at: now)
        guard let id = claims.text("notificationUUID"), OIDCVerifier.isValidSubject(id),
            let type = claims.text("notificationType")
        else { throw .malformed }
        guard type.isExactly("RESCIND_CONSENT") else {
            return AppStoreNotification(id: id, idHash: Self.hash(id), signedAt: signedAt, rescinded: nil)
        }
        guard case .object(let members) = claims["appData"] else { throw .malformed }
        let data = IdentityTokenClaims(members)
        guard let inner = data.text("signedAppTransactionInfo"), let bundle = data.text("bundleId"),
            let environment = data.text("environment")
        else { throw .malformed }
        let transaction = try transaction(in: inner, at: now)
        guard transaction.bundleID.isExactly(bundle), transaction.environment.isExactly(environment) else {
            throw .otherApp
        }
        return AppStoreNotification(id: id, idHash: Self.hash(id), signedAt: signedAt, rescinded: transaction)
    }

    private func transaction(in text: String, at now: Instant) throws(AppStoreRefusal) -> AppTransaction {
        let (claims, signedAt) = try verified(text, at: now)
        guard let id = claims.text("appTransactionId"), OIDCVerifier.isValidSubject(id),
            let bundle = claims.text("bundleId"),
            let environment = claims.text("receiptType") ?? claims.text("environment")
        else { throw .malformed }
        guard Self.environments.containsExactly(environment) else { throw .environment }
        return AppTransaction(id: id, bundleID: bundle, environment: environment, signedAt: signedAt)
    }

    /// Verifies the signature with the key of the leaf, and the path of the certificates at the time of the signature.
    private func verified(
        _ text: String, at now: Instant
    ) throws(AppStoreRefusal) -> (claims: IdentityTokenClaims, signedAt: Instant) {
        do {
            let token = try UnverifiedJWS(parsing: text, maximumLength: Self.maximumLength)
            guard token.algorithm == .es256, let texts = token.certificates, texts.count == 3 else {
                throw AppStoreRefusal.signature
            }
            let certificates = texts.compactMap { Base64.decode($0) }
            guard let times = token.unverified(Times.self),
                let milliseconds = times.signedDate ?? times.receiptCreationDate,
                (Self.oldest...Double(now.milliseconds + 60_000)).contains(milliseconds)
            else { throw AppStoreRefusal.time }
            let signedAt = Instant(microseconds: Int64(milliseconds) * 1000)
            let key = try path.leafKey(of: certificates, at: signedAt.seconds)
            return (try IdentityTokenClaims(try token.payload(verifiedWith: key)), signedAt)
        } catch let refusal as AppStoreRefusal {
            throw refusal
        } catch JWSFault.malformed, JWSFault.tooLong {
            throw .malformed
        } catch is ProviderRefusal {
            throw .malformed
        } catch {
            throw .signature
        }
    }

    private struct Times: Decodable {
        let signedDate: Double?
        let receiptCreationDate: Double?
    }

    private static func hash(_ id: String) -> [UInt8] {
        Digest.sha256(Array("ID of a notification of the App Store\n\(id)".utf8))
    }
}
