/// The download of an app by a user of the App Store, as the App Store signs it.
public struct AppTransaction: Hashable, Sendable {
    /// `appTransactionId`: the same for all downloads of the app by one Apple Account or family member.
    public let id: String
    public let bundleID: String
    /// `Production` or `Sandbox`.
    public let environment: String
    /// When the App Store signed this statement. Devices keep statements, so it can be much older than the request.
    public let signedAt: Instant

    public init(id: String, bundleID: String, environment: String, signedAt: Instant) {
        self.id = id
        self.bundleID = bundleID
        self.environment = environment
        self.signedAt = signedAt
    }
}

/// What happens to an account that was used with an app transaction when a parent withdraws consent to the app. The raw
/// values are those of the policy member `rescindedConsent`.
public enum RescissionEffect: String, Hashable, Sendable, CaseIterable {
    case endSessions
    /// The sessions end too.
    case disableAccount
}

/// The withdrawal of a parent's consent to the use of an app (`RESCIND_CONSENT`), in one realm.
public struct ConsentRescission: Hashable, Sendable {
    public let transaction: AppTransaction
    /// When the App Store signed the notification. A statement of the transaction that the App Store has signed later
    /// is not affected, because a device starts the app again only after a parent has consented again.
    public let signedAt: Instant
    public let key: ReplayKey
    public let effect: RescissionEffect
    public let recording: EventRecording

    public init(
        of transaction: AppTransaction, signedAt: Instant, once key: ReplayKey, effect: RescissionEffect,
        recording: EventRecording
    ) {
        self.transaction = transaction
        self.signedAt = signedAt
        self.key = key
        self.effect = effect
        self.recording = recording
    }
}

/// A verified server notification of the App Store.
public struct AppStoreNotification: Hashable, Sendable {
    public let id: String
    /// SHA-256 of ``id``; the replay key, with which each realm applies the notification once.
    public let idHash: [UInt8]
    public let signedAt: Instant
    /// The app transaction for which a parent has withdrawn the consent (`RESCIND_CONSENT`); `nil` for other types.
    public let rescinded: AppTransaction?

    public init(id: String, idHash: [UInt8], signedAt: Instant, rescinded: AppTransaction?) {
        self.id = id
        self.idHash = idHash
        self.signedAt = signedAt
        self.rescinded = rescinded
    }

    /// Older notifications are rejected. The App Store repeats one for three days.
    public static let acceptedAge: Duration = .seconds(30 * 86_400)
    /// How long replay keys are kept after the signature. Longer than ``acceptedAge``, because clocks differ.
    public static let replayKeyLifetime: Duration = .seconds(31 * 86_400)
}

/// Verifies texts that the App Store has signed. The bundle ID is not checked.
public struct AppStoreVerifier: Sendable {
    public let notification: @Sendable (_ text: String, _ now: Instant) throws(AppStoreRefusal) -> AppStoreNotification
    public let transaction: @Sendable (_ text: String, _ now: Instant) throws(AppStoreRefusal) -> AppTransaction

    public init(
        notification: @escaping @Sendable (String, Instant) throws(AppStoreRefusal) -> AppStoreNotification,
        transaction: @escaping @Sendable (String, Instant) throws(AppStoreRefusal) -> AppTransaction
    ) {
        self.notification = notification
        self.transaction = transaction
    }
}

/// Why a signed text of the App Store is rejected. The raw value is a label of metrics.
public enum AppStoreRefusal: String, Refusal, CaseIterable {
    case malformed
    /// The signature, or the path of its certificates to Apple's root, is not valid.
    case signature
    /// The time of the signature is absent, in the future or too old.
    case time
    /// The text comes from Xcode or a local test, not from the App Store.
    case environment
    /// The transaction belongs to another app than the notification.
    case otherApp
    /// No app of the gateway has the bundle ID.
    case unknownApp

    public var code: ErrorCode { .invalidIdpResponse }

    public var detail: String? {
        switch self {
        case .malformed: "The text is not signed by the App Store, or lacks members."
        case .signature: "The text is not signed by the App Store."
        case .time: "The time of the signature is not accepted."
        case .environment: "The text is not from the production or sandbox environment of the App Store."
        case .otherApp: "The transaction belongs to another app."
        case .unknownApp: "The bundle ID is not that of an app of this gateway."
        }
    }
}
