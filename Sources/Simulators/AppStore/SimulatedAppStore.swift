public import Crypto
internal import Encoding
public import JSON

/// Signs server notifications and app transactions like the App Store, with an authority of its own.
public struct SimulatedAppStore: Sendable {
    public static let leafMarker = "1.2.840.113635.100.6.11.1"
    public static let intermediateMarker = "1.2.840.113635.100.6.2.1"
    private static let year: Int64 = 365 * 86_400

    public let root: Certificate.Authority
    public var intermediate: Certificate.Authority
    public var leaf: Certificate.Authority
    private let clock: @Sendable () -> Int64

    public init(clock: @escaping @Sendable () -> Int64) throws {
        let (begin, end) = (clock() - Self.year, clock() + Self.year)
        root = try Certificate.Authority(root: "Simulated Apple Root CA", notBefore: begin, notAfter: end)
        intermediate = try Certificate.Authority(
            "Simulated Apple WWDR", under: root, marker: Self.intermediateMarker, notBefore: begin, notAfter: end)
        leaf = try Certificate.Authority(
            "Simulated App Store", under: intermediate, marker: Self.leafMarker, isAuthority: false, notBefore: begin,
            notAfter: end)
        self.clock = clock
    }

    /// SHA-256 of the root in hexadecimal digits.
    public var rootFingerprint: String { Hexadecimal.encode(Digest.sha256(root.certificate)) }

    /// Returns an app transaction as StoreKit gives it to an app.
    public func transaction(
        _ id: String, of bundleID: String, environment: String = "Production",
        changing change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "receiptType": .string(environment), "bundleId": .string(bundleID), "appTransactionId": .string(id),
            "applicationVersion": .string("1"), "receiptCreationDate": .integer(clock() * 1000),
        ]
        change(&claims)
        return try signed(claims)
    }

    /// Returns the signed payload of a notification.
    public func notification(
        _ type: String = "RESCIND_CONSENT", about transaction: String, of bundleID: String,
        environment: String = "Production", id: String = "002e14d5-51f5-4503-b5a8-c3a1af68eb20",
        changing change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "notificationType": .string(type), "notificationUUID": .string(id), "version": .string("2.0"),
            "signedDate": .integer(clock() * 1000),
            "appData": .object([
                "appAppleId": .integer(41234), "bundleId": .string(bundleID), "environment": .string(environment),
                "signedAppTransactionInfo": .string(transaction),
            ]),
        ]
        change(&claims)
        return try signed(claims)
    }

    /// - Parameters:
    ///   - certificates: the value of `x5c` (default: the leaf, the intermediate and the root).
    ///   - key: signs (default: the key of the leaf).
    public func signed(
        _ claims: JSONObject, certificates: [[UInt8]]? = nil, algorithm: String = "ES256", key: PrivateKey? = nil
    ) throws -> String {
        let path = certificates ?? [leaf.certificate, intermediate.certificate, root.certificate]
        let header: JSONObject = [
            "alg": .string(algorithm), "x5c": .array(path.map { .string(Base64.encode($0)) }),
        ]
        let input =
            Base64URL.encode(try StrictJSON.encode(header)) + "." + Base64URL.encode(try StrictJSON.encode(claims))
        return input + "." + Base64URL.encode(try (key ?? leaf.key).sign(Array(input.utf8)))
    }
}
