internal import Encoding
internal import HTML
internal import Identity
internal import QRCode

/// A one-time password that the user is about to enrol.
public struct PendingOneTimePassword: Sendable {
    /// In Base32.
    let secret: String
    /// The URL that an authenticator app on this device opens. Others read it from a QR code.
    let appURL: String
    /// The sealed state, for the form.
    let enrolment: String

    /// - Parameters:
    ///   - issuer: the name of the project.
    ///   - name: that of the account. Of a long name, an authenticator app gets the beginning, so that a QR code can
    ///     contain the URL.
    public init(secret: String, issuer: String, name: String, enrolment: String) {
        let (issuer, name) = (issuer.percentEncoded(upTo: 96), name.percentEncoded(upTo: 64))
        let parameters = "?secret=\(secret)&issuer=\(issuer)"
        let url = "otpauth://totp/\(issuer):\(name)\(parameters)"
        // The prefix repeats the issuer for older apps.
        appURL = url.utf8.count <= QRCode.maximumLength ? url : "otpauth://totp/\(name)\(parameters)"
        self.secret = secret
        self.enrolment = enrolment
    }
}

extension String {
    /// - Parameter limit: the maximum length of the result. A longer text ends with an ellipsis.
    fileprivate func percentEncoded(upTo limit: Int) -> String {
        let whole = PercentEncoding.encode(self)
        guard whole.utf8.count > limit else { return whole }
        let ellipsis = PercentEncoding.encode("…")
        var result = ""
        for character in self {
            let next = PercentEncoding.encode(String(character))
            guard result.utf8.count + next.utf8.count + ellipsis.utf8.count <= limit else { break }
            result += next
        }
        return result + ellipsis
    }
}

extension PendingOneTimePassword {
    /// The secret as a QR code, as a link that opens the app, and as a text.
    func secretToScan(_ context: Page.Context) -> [Markup] {
        qrCode(context) + [
            Markup(
                .p,
                [
                    Markup(
                        .a, [.classes(.button, .quiet), .href(URLReference(appLink: appURL))],
                        context.words(Text(AccountPageText.authenticatorOpen)))
                ]),
            context.details([
                (Text(AccountPageText.authenticatorKey), [Markup(.code, text: secret.inGroupsOfFour)])
            ]),
        ]
    }

    private func qrCode(_ context: Page.Context) -> [Markup] {
        guard let code = QRCode(appURL) else { return [] }
        return [Markup(.p, [.qrCode(code, title: context.string(Text(AccountPageText.authenticatorImage)))])]
    }
}

extension Page {
    /// Shows the key of a one-time password, and asks for the first code.
    ///
    /// - Parameter isRejected: whether the submitted code was wrong.
    public static func addAuthenticator(
        _ pending: PendingOneTimePassword, isRejected: Bool = false, _ frame: AccountFrame
    ) -> Page {
        frame.page(
            .authenticatorTitle,
            (isRejected ? [frame.problem(.codeRejected)] : []) + [frame.paragraph(.authenticatorSteps)]
                + pending.secretToScan(frame.context) + [
                    frame.form(
                        nil, [(.enrolment, pending.enrolment), (.secret, pending.secret)],
                        frame.codeField(.authenticatorCode, isInvalid: isRejected, button: .turnOn))
                ])
    }

    /// Asks whether to replace the recovery codes.
    public static func newRecoveryCodes(_ frame: AccountFrame) -> Page {
        frame.page(
            .recoveryCodes,
            [
                frame.paragraph(.recoveryReplace), frame.form(nil, [], [frame.button(.newRecoveryCodes)]),
                frame.link(.keepIt, to: .methods),
            ])
    }

    /// Shows the new recovery codes, once.
    public static func recoveryCodes(_ codes: [String], _ frame: AccountFrame) -> Page {
        frame.page(
            .recoveryTitle,
            [
                frame.paragraph(.recoveryAdvice),
                Markup(.ul, codes.map { Markup(.li, [Markup(.code, text: $0)]) }),
                frame.link(.recoveryDone, to: .methods, isSecondary: false),
            ])
    }
}

extension String {
    fileprivate var inGroupsOfFour: String {
        var (groups, rest) = ([Substring](), self[...])
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }
}
