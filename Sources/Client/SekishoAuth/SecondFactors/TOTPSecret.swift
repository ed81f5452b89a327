internal import Foundation

/// The secret of a new one-time password, which the user enters in an authenticator app within ten minutes.
public final class TOTPSecret: Sendable {
    private let info: TOTPSessionInfo

    init(_ info: TOTPSessionInfo) { self.info = info }

    var sessionInfo: String { info.sessionInfo }

    /// Returns the secret in base32, for users who cannot scan a QR code. It is a secret: do not log it.
    public func sharedSecretKey() -> String { info.sharedSecretKey }

    /// Returns the URL (`otpauth:`) to show as a QR code.
    ///
    /// - Parameters:
    ///   - accountName: the name of the account in the authenticator app, usually the email address.
    ///   - issuer: the name of the app.
    public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
        let (account, issuer) = (Self.encoded(accountName), Self.encoded(issuer))
        return "otpauth://totp/\(issuer):\(account)?secret=\(info.sharedSecretKey)&issuer=\(issuer)"
            + "&algorithm=\(info.hashingAlgorithm)&digits=\(info.verificationCodeLength)&period=\(info.periodSec)"
    }

    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

extension TOTPSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Does not contain the secret.
    public var description: String { "TOTPSecret" }
    /// Does not contain the secret.
    public var debugDescription: String { description }
    /// Does not contain the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
