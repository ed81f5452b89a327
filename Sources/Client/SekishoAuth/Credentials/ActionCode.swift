public import Foundation

/// What a code from an email is for.
public enum ActionCodeOperation: Int, Sendable {
    /// Unknown to this version of the library.
    case unknown = 0
    /// Sets a new password.
    case passwordReset = 1
    /// Verifies an email address.
    case verifyEmail = 2
    /// Restores the previous email address.
    case recoverEmail = 3
    /// Signs in.
    case emailLink = 4
    /// Verifies a new email address and makes it the account's.
    case verifyAndChangeEmail = 5
    /// Removes a second factor.
    case revertSecondFactorAddition = 6

    /// - Parameter name: of the wire (`PASSWORD_RESET`) or of a link (`resetPassword`).
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

/// What the gateway reports about a code from an email.
public struct ActionCodeInfo: Sendable {
    /// What the code is for.
    public let operation: ActionCodeOperation
    /// The address that the code is for. After the operation, it is the account's address.
    public let email: String
    /// The address that the operation replaces.
    public let previousEmail: String?
}

/// The parts of a link from an email.
public struct ActionCodeURL: Sendable {
    /// The API key in the link.
    public let apiKey: String?
    /// What the code is for.
    public let operation: ActionCodeOperation
    /// The code.
    public let code: String?
    /// The URL to continue to.
    public let continueURL: URL?
    /// The language of the email.
    public let languageCode: String?

    /// Reads a link.
    ///
    /// - Returns: `nil` if the text is not a URL with a query. A link inside the query (`link` or `deep_link_id`), as
    ///   universal links have it, is read instead.
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
    /// What the code is for. Does not contain the code.
    public var description: String { "ActionCodeURL(operation: \(operation))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}

/// Where the link of an email leads to.
///
/// It is a class, because apps written for FirebaseAuth set its properties on a constant.
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

    /// The URL to continue to, whose host is an authorized domain of the project.
    public var url: URL? {
        get { values.current.url }
        set { values.withLock { $0.url = newValue } }
    }

    /// Whether the app handles the link. Sign-in links require it.
    public var handleCodeInApp: Bool {
        get { values.current.handleCodeInApp }
        set { values.withLock { $0.handleCodeInApp = newValue } }
    }

    /// The app that opens the link (default: this one). The gateway does not use it.
    public var iOSBundleID: String? {
        get { values.current.bundleID }
        set { values.withLock { $0.bundleID = newValue } }
    }

    /// The domain of the link. The gateway does not use it.
    public var linkDomain: String? {
        get { values.current.linkDomain }
        set { values.withLock { $0.linkDomain = newValue } }
    }

    /// The Android app that opens the link. The gateway does not use it.
    public var androidPackageName: String? { values.current.android?.package }
    /// The oldest version of the Android app that opens the link. The gateway does not use it.
    public var androidMinimumVersion: String? { values.current.android?.minimumVersion }
    /// Whether the Android app is installed if it is missing. The gateway does not use it.
    public var androidInstallIfNotAvailable: Bool { values.current.android?.installIfNotAvailable ?? false }

    /// Sets the Android app that opens the link.
    public func setAndroidPackageName(
        _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
    ) {
        let android = Android(
            package: androidPackageName, installIfNotAvailable: installIfNotAvailable,
            minimumVersion: minimumVersion)
        values.withLock { $0.android = android }
    }
}
