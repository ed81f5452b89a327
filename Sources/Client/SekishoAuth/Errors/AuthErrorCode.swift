public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// Domain of the library's errors as `NSError`.
public let AuthErrorDomain = AuthErrors.domain
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// Key of the credential to continue with. The value is an ``AuthCredential``.
public let AuthErrorUserInfoUpdatedCredentialKey = AuthErrors.userInfoUpdatedCredentialKey
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// Key of the email address of an error.
public let AuthErrorUserInfoEmailKey = AuthErrors.userInfoEmailKey
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// Key of FirebaseAuth's name of an error, such as `ERROR_WRONG_PASSWORD`.
public let AuthErrorUserInfoNameKey = AuthErrors.userInfoNameKey

/// Names in the library's errors.
public enum AuthErrors {
    /// Domain of the library's errors as `NSError`.
    public static let domain = "FIRAuthErrorDomain"
    /// Key of the credential to continue with. The value is an ``AuthCredential``.
    public static let userInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"
    /// Key of the email address of an error.
    public static let userInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"
    /// Key of FirebaseAuth's name of an error, such as `ERROR_WRONG_PASSWORD`.
    public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
    /// Key of the gateway's error code, such as `INVALID_LOGIN_CREDENTIALS`. The value is a `String`.
    public static let userInfoServerCodeKey = "SekishoErrorServerCode"
    /// Key of the number of seconds to wait before another attempt. The value is a `TimeInterval`.
    public static let userInfoRetryAfterKey = "SekishoErrorRetryAfter"
    /// Key of the sign-in methods of the account that has the email address. The value is a `[String]`.
    public static let userInfoSignInMethodsKey = "SekishoErrorSignInMethods"
}

/// An error of this library.
///
/// It is the error itself and the code that tutorials compare:
///
///     do {
///         try await Auth.auth().signIn(withEmail: email, password: password)
///     } catch AuthErrorCode.wrongPassword {
///         …
///     } catch let error as AuthErrorCode {
///         show(error.localizedDescription)
///     }
///
/// Two errors are equal if their codes are.
public struct AuthErrorCode: CustomNSError, LocalizedError, RawRepresentable, Sendable {
    /// The name of this type in other versions of FirebaseAuth.
    public typealias Code = AuthErrorCode

    /// FirebaseAuth's number of the error.
    public let rawValue: Int
    private let details: [String: any Sendable]
    private let message: String?

    /// Domain of the error as `NSError`.
    public static var errorDomain: String { AuthErrors.domain }

    /// Finds a code by its number.
    ///
    /// - Returns: `nil` if there is no such code.
    public init?(rawValue: Int) {
        guard Self.descriptions[rawValue] != nil else { return nil }
        self.init(known: rawValue)
    }

    /// Restores the error from its `NSError`. An error of another domain becomes ``internalError``.
    public init(_nsError error: NSError) {
        if let error = error as? AuthErrorCode {
            self = error
            return
        }
        let isOurs = error.domain == Self.errorDomain && Self.descriptions[error.code] != nil
        rawValue = isOurs ? error.code : Self.internalError.rawValue
        details = isOurs ? error.userInfo.compactMapValues { Self.sendable($0) } : [:]
        message = error.localizedDescription
    }

    init(known rawValue: Int) {
        self.rawValue = rawValue
        details = [:]
        message = nil
    }

    private init(_ code: AuthErrorCode, message: String?, details: [String: any Sendable]) {
        rawValue = code.rawValue
        self.message = message
        self.details = details
    }

    /// The error with a text for users and values to continue with.
    func with(_ message: String? = nil, _ details: [String: any Sendable] = [:]) -> AuthErrorCode {
        AuthErrorCode(
            self, message: message ?? self.message, details: self.details.merging(details) { _, new in new })
    }

    /// The error itself, as in versions of FirebaseAuth where the error has a code.
    public var code: AuthErrorCode { self }
    /// FirebaseAuth's number of the error.
    public var errorCode: Int { rawValue }
    /// What is wrong, in English.
    public var errorDescription: String? { message ?? Self.descriptions[rawValue]?.text }

    /// The values of the error as `NSError`.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = details.filter { $0.key != Self.pendingTokenKey }
        userInfo[NSLocalizedDescriptionKey] = errorDescription
        userInfo[AuthErrors.userInfoNameKey] = Self.descriptions[rawValue]?.name
        return userInfo
    }

    /// The credential to continue with after a conflict. It can sign in, link or merge without another prompt of the
    /// provider.
    public var updatedCredential: AuthCredential? {
        details[AuthErrors.userInfoUpdatedCredentialKey] as? AuthCredential
    }

    /// The email address of the conflict.
    public var email: String? { details[AuthErrors.userInfoEmailKey] as? String }
    /// The gateway's error code, or `nil` if the error did not come from the gateway.
    public var serverCode: String? { details[AuthErrors.userInfoServerCodeKey] as? String }
    /// Seconds to wait before another attempt, if the response states them.
    public var retryAfter: TimeInterval? { details[AuthErrors.userInfoRetryAfterKey] as? TimeInterval }

    /// The sign-in methods of the account that has the email address, unless the gateway must not reveal them.
    public var signInMethods: [String]? { details[AuthErrors.userInfoSignInMethodsKey] as? [String] }

    static let pendingTokenKey = "SekishoErrorPendingToken"

    /// The pending token of a rejection. Apps use ``updatedCredential``.
    var pendingToken: String? { details[Self.pendingTokenKey] as? String }

    private static func sendable(_ value: Any) -> (any Sendable)? {
        switch value {
        case let value as String: value
        case let value as AuthCredential: value
        case let value as [String]: value
        case let value as TimeInterval: value
        default: nil
        }
    }
}

extension AuthErrorCode: Hashable {
    /// Compares codes only.
    public static func == (one: AuthErrorCode, other: AuthErrorCode) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the code only.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Matches an error in a `catch` clause.
    public static func ~= (pattern: AuthErrorCode, error: any Error) -> Bool {
        (error as? AuthErrorCode) == pattern
    }

    /// Matches a code in a `switch`.
    public static func ~= (pattern: AuthErrorCode, code: AuthErrorCode) -> Bool { pattern == code }
}

extension AuthErrorCode: CustomStringConvertible, CustomReflectable {
    /// The number of the error. Contains no credential.
    public var customMirror: Mirror { Mirror(self, children: ["rawValue": rawValue]) }

    /// FirebaseAuth's name of the error and what is wrong. Contains no credential.
    public var description: String {
        "\(Self.descriptions[rawValue]?.name ?? "ERROR"): \(errorDescription ?? "")"
    }
}
