public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``AuthErrors/domain``.
public let AuthErrorDomain = AuthErrors.domain
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``AuthErrors/userInfoUpdatedCredentialKey``.
public let AuthErrorUserInfoUpdatedCredentialKey = AuthErrors.userInfoUpdatedCredentialKey
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``AuthErrors/userInfoMultiFactorResolverKey``.
public let AuthErrorUserInfoMultiFactorResolverKey = AuthErrors.userInfoMultiFactorResolverKey
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``AuthErrors/userInfoEmailKey``.
public let AuthErrorUserInfoEmailKey = AuthErrors.userInfoEmailKey
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``AuthErrors/userInfoNameKey``.
public let AuthErrorUserInfoNameKey = AuthErrors.userInfoNameKey

/// The domain and the `userInfo` keys of the library's errors as `NSError`.
public enum AuthErrors {
    /// The domain of ``AuthErrorCode``.
    public static let domain = "FIRAuthErrorDomain"
    /// Key of ``AuthErrorCode/updatedCredential``. The value is an ``AuthCredential``.
    public static let userInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"
    /// Key of ``AuthErrorCode/multiFactorResolver``. The value is a ``MultiFactorResolver``.
    public static let userInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"
    /// Key of ``AuthErrorCode/email``. The value is a `String`.
    public static let userInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"
    /// Key of the error's name in FirebaseAuth, such as `ERROR_WRONG_PASSWORD`. The value is a `String`.
    public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
    /// Key of ``AuthErrorCode/serverCode``. The value is a `String`.
    public static let userInfoServerCodeKey = "SekishoErrorServerCode"
    /// Key of ``AuthErrorCode/retryAfter``. The value is a `TimeInterval`.
    public static let userInfoRetryAfterKey = "SekishoErrorRetryAfter"
    /// Key of ``AuthErrorCode/signInMethods``. The value is a `[String]`.
    public static let userInfoSignInMethodsKey = "SekishoErrorSignInMethods"
}

/// An error of the library, and its code:
///
///     do {
///         try await Auth.auth().signIn(withEmail: email, password: password)
///     } catch AuthErrorCode.wrongPassword {
///         …
///     } catch let error as AuthErrorCode {
///         show(error.localizedDescription)
///     }
///
/// Two errors are equal if their codes are equal.
public struct AuthErrorCode: CustomNSError, LocalizedError, RawRepresentable, Sendable {
    /// This type, for code written for FirebaseAuth versions in which the code has its own type.
    public typealias Code = AuthErrorCode

    /// The error's number in FirebaseAuth, for example 17009 for ``wrongPassword``.
    public let rawValue: Int
    private let details: [String: any Sendable]
    private let message: String?

    /// See ``AuthErrors/domain``.
    public static var errorDomain: String { AuthErrors.domain }

    /// Returns the code with a number, or `nil` if no code has it.
    public init?(rawValue: Int) {
        guard Self.descriptions[rawValue] != nil else { return nil }
        self.init(known: rawValue)
    }

    /// Restores an error from its form as `NSError`. An `NSError` with an unknown code, or of a domain other than
    /// ``AuthErrors/domain``, becomes ``internalError``.
    public init(_nsError error: NSError) {
        if let error = error as? AuthErrorCode {
            self = error
            return
        }
        let isKnown = error.domain == Self.errorDomain && Self.descriptions[error.code] != nil
        rawValue = isKnown ? error.code : Self.internalError.rawValue
        details = isKnown ? error.userInfo.compactMapValues { Self.sendable($0) } : [:]
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

    /// Returns the error with another description (`nil`: the same one) and with further `userInfo` values.
    func with(_ message: String? = nil, details: [String: any Sendable] = [:]) -> AuthErrorCode {
        AuthErrorCode(
            self, message: message ?? self.message, details: self.details.merging(details) { _, new in new })
    }

    /// The error itself, for code written for FirebaseAuth versions in which the error has a code.
    public var code: AuthErrorCode { self }
    /// See ``rawValue``.
    public var errorCode: Int { rawValue }
    /// What is wrong, in English. The text can come from the gateway.
    public var errorDescription: String? { message ?? Self.descriptions[rawValue]?.text }

    /// The `userInfo` of the error as `NSError`. See ``AuthErrors``.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = details.filter { $0.key != Self.pendingTokenKey }
        userInfo[NSLocalizedDescriptionKey] = errorDescription
        userInfo[AuthErrors.userInfoNameKey] = Self.descriptions[rawValue]?.name
        return userInfo
    }

    /// The credential of the failed request, to use without another dialog of the provider. After
    /// ``accountExistsWithDifferentCredential``, it can only be linked to the account that has the email address. After
    /// other errors, such as ``credentialAlreadyInUse``, it can sign in, link or merge.
    public var updatedCredential: AuthCredential? {
        details[AuthErrors.userInfoUpdatedCredentialKey] as? AuthCredential
    }

    /// Finishes the sign-in, after ``secondFactorRequired``.
    public var multiFactorResolver: MultiFactorResolver? {
        details[AuthErrors.userInfoMultiFactorResolverKey] as? MultiFactorResolver
    }

    func with(_ resolver: MultiFactorResolver) -> AuthErrorCode {
        with(details: [AuthErrors.userInfoMultiFactorResolverKey: resolver])
    }

    /// The email address of the identity in a conflict, if the gateway sends it.
    public var email: String? { details[AuthErrors.userInfoEmailKey] as? String }
    /// The gateway's error code, such as `INVALID_LOGIN_CREDENTIALS`. `nil` if the gateway did not send the error.
    public var serverCode: String? { details[AuthErrors.userInfoServerCodeKey] as? String }
    /// Seconds to wait before a retry, from 0 to 3600. `nil` unless the response has `Retry-After` in seconds.
    public var retryAfter: TimeInterval? { details[AuthErrors.userInfoRetryAfterKey] as? TimeInterval }

    /// The sign-in methods of the account that has the email address, for example `apple.com`. `nil` if the gateway
    /// does not reveal them.
    public var signInMethods: [String]? { details[AuthErrors.userInfoSignInMethodsKey] as? [String] }

    static let pendingTokenKey = "SekishoErrorPendingToken"

    /// The pending token in the gateway's error, from which ``updatedCredential`` is made.
    var pendingToken: String? { details[Self.pendingTokenKey] as? String }

    private static func sendable(_ value: Any) -> (any Sendable)? {
        switch value {
        case let value as String: value
        case let value as AuthCredential: value
        case let value as MultiFactorResolver: value
        case let value as [String]: value
        case let value as TimeInterval: value
        default: nil
        }
    }
}

extension AuthErrorCode: Hashable {
    /// Compares the codes only.
    public static func == (one: AuthErrorCode, other: AuthErrorCode) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the code only.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Compares codes in a `catch` clause.
    public static func ~= (pattern: AuthErrorCode, error: any Error) -> Bool {
        (error as? AuthErrorCode) == pattern
    }

    /// Compares codes in a `switch`.
    public static func ~= (pattern: AuthErrorCode, code: AuthErrorCode) -> Bool { pattern == code }
}

extension AuthErrorCode: CustomStringConvertible, CustomReflectable {
    /// The number of the error. Contains no credential.
    public var customMirror: Mirror { Mirror(self, children: ["rawValue": rawValue]) }

    /// The error's name in FirebaseAuth, and its description. Contains no credential.
    public var description: String {
        "\(Self.descriptions[rawValue]?.name ?? "ERROR"): \(errorDescription ?? "")"
    }
}
