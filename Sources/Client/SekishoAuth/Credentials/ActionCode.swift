public import Foundation

/// The operation of an action code, which is a code from an email.
public enum ActionCodeOperation: Int, Sendable {
    /// The library does not know the operation.
    case unknown = 0
    /// Sets a new password.
    case passwordReset = 1
    /// Verifies an email address.
    case verifyEmail = 2
    /// Restores the previous email address.
    case recoverEmail = 3
    /// Signs in.
    case emailLink = 4
    /// Verifies a new email address, which then replaces the account's address.
    case verifyAndChangeEmail = 5
    /// Removes a second factor.
    case revertSecondFactorAddition = 6

    /// - Parameter name: a `requestType` of the protocol (`PASSWORD_RESET`), or a `mode` of a link (`resetPassword`).
    init(name: String) {
        self =
            switch name {
            case "PASSWORD_RESET", "resetPassword": .passwordReset
            case "VERIFY_EMAIL", "verifyEmail": .verifyEmail
            case "RECOVER_EMAIL", "recoverEmail": .recoverEmail
            case "EMAIL_SIGNIN", "signIn": .emailLink
            case "VERIFY_AND_CHANGE_EMAIL", "verifyAndChangeEmail": .verifyAndChangeEmail
            case "REVERT_SECOND_FACTOR_ADDITION", "revertSecondFactorAddition": .revertSecondFactorAddition
            default: .unknown
            }
    }
}

/// The operation and the email addresses of an action code.
public struct ActionCodeInfo: Sendable {
    /// The operation of the code.
    public let operation: ActionCodeOperation
    /// The email address that the code was issued for. For a change of address, the new address.
    public let email: String
    /// The email address that the operation replaces, if any.
    public let previousEmail: String?
}

/// The query items of a link from an email.
public struct ActionCodeURL: Sendable {
    /// The API key (`apiKey`).
    public let apiKey: String?
    /// The operation (`mode`).
    public let operation: ActionCodeOperation
    /// The action code (`oobCode`).
    public let code: String?
    /// The continue URL (`continueUrl`).
    public let continueURL: URL?
    /// The language of the email (`lang`).
    public let languageCode: String?

    /// Parses a link. If it has no action code, but contains another link in the query item `link` or `deep_link_id`,
    /// that link is parsed instead.
    ///
    /// - Returns: `nil` if the text is not a URL with a query.
    public init?(link: String) {
        guard var values = Self.query(of: link) else { return nil }
        if values["oobCode"] == nil, let inner = (values["link"] ?? values["deep_link_id"]).flatMap(Self.query(of:)),
            inner["oobCode"] != nil
        {
            values = inner
        }
        apiKey = values["apiKey"]
        operation = ActionCodeOperation(name: values["mode"] ?? "")
        code = values["oobCode"]
        continueURL = values["continueUrl"].flatMap { URL(string: $0) }
        languageCode = values["lang"]
    }

    private static func query(of link: String) -> [String: String]? {
        URLComponents(string: link)?.queryItems.map { items in
            Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        }
    }
}

extension ActionCodeURL: CustomStringConvertible, CustomReflectable {
    /// The operation. Does not contain the code.
    public var description: String { "ActionCodeURL(operation: \(operation))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}

/// Settings for the link in an email: continue URL and app.
///
/// This is a class, because code written for FirebaseAuth sets the properties of a constant.
public final class ActionCodeSettings: Sendable {
    private struct Values: Sendable {
        var url: URL?
        var handleCodeInApp = false
        var bundleID = Bundle.main.bundleIdentifier
        var linkDomain: String?
        var android: Android?
    }

    private struct Android: Sendable {
        let package: String
        let installIfNotAvailable: Bool
        let minimumVersion: String?
    }

    private let values = Locked(Values())

    /// Creates settings with the defaults.
    public init() {}

    /// The continue URL. Its host must be an authorized domain of the project.
    public var url: URL? {
        get { values.current.url }
        set { values.withLock { $0.url = newValue } }
    }

    /// Whether an app opens the link (default: false). Must be true for sign-in links.
    ///
    /// The app is ``iOSBundleID`` or ``androidPackageName``, if an administrator has associated it with the gateway's
    /// host. Otherwise, or if that app is not installed, the link opens a page of the gateway.
    public var handleCodeInApp: Bool {
        get { values.current.handleCodeInApp }
        set { values.withLock { $0.handleCodeInApp = newValue } }
    }

    /// The bundle identifier of the app that opens the link (default: that of the main bundle).
    public var iOSBundleID: String? {
        get { values.current.bundleID }
        set { values.withLock { $0.bundleID = newValue } }
    }

    /// Sets ``iOSBundleID``.
    public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }

    /// The Firebase Hosting domain of the link. The gateway ignores it.
    public var linkDomain: String? {
        get { values.current.linkDomain }
        set { values.withLock { $0.linkDomain = newValue } }
    }

    /// The package name of the Android app that opens the link.
    public var androidPackageName: String? { values.current.android?.package }
    /// The minimum version of the Android app that opens the link. The gateway ignores it.
    public var androidMinimumVersion: String? { values.current.android?.minimumVersion }
    /// Whether the Android app is installed if it is not available. The gateway ignores it.
    public var androidInstallIfNotAvailable: Bool { values.current.android?.installIfNotAvailable ?? false }

    /// Sets the Android app that opens the link.
    ///
    /// - Parameters:
    ///   - androidPackageName: the package name of the app.
    ///   - installIfNotAvailable: ignored by the gateway.
    ///   - minimumVersion: ignored by the gateway.
    public func setAndroidPackageName(
        _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
    ) {
        let android = Android(
            package: androidPackageName, installIfNotAvailable: installIfNotAvailable,
            minimumVersion: minimumVersion)
        values.withLock { $0.android = android }
    }
}
