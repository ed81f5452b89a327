internal import Glibc
package import Identity
package import SMTP

extension Settings {
    static let smtpURL = Setting(
        name: "SEKISHO_SMTP_URL", fallback: nil,
        meaning: "the server that takes mail, as smtps://user:password@mail.example.com; without one no mail is sent")
    static let emailSender = Setting(
        name: "SEKISHO_MAIL_FROM", fallback: nil,
        meaning: "the address that mail comes from, for projects that have none of their own")
    static let smtpAuthorities = Setting(
        name: "SEKISHO_SMTP_CA_FILE", fallback: nil,
        meaning: "a file of PEM certificates to believe instead of the system's when mail is sent")

    static let email = [smtpURL, emailSender, smtpAuthorities]
}

/// How mail leaves.
package struct EmailConfig: Sendable {
    package var server: SubmissionServer
    /// For projects that have none of their own.
    package var sender: EmailAddress

    /// For a whole message, whatever the server does.
    package static let deadline: Duration = .seconds(30)
}

extension SettingsReader {
    /// - Returns: `nil` if nothing is said of mail, or something wrong.
    package mutating func email() -> EmailConfig? {
        let before = problems.count
        let authorities = optional(Settings.smtpAuthorities, "the path of a file that can be read") { path in
            access(path, R_OK) == 0 ? path : nil
        }
        let server = optional(
            Settings.smtpURL, "smtp:// or smtps:// with a host, and user:password@ and a port where needed"
        ) { SubmissionServer(url: $0, certificateAuthorities: authorities) }
        let sender = optional(Settings.emailSender, "an e-mail address") { EmailAddress($0) }
        if let server, let sender { return EmailConfig(server: server, sender: sender) }
        // One without the other sends nothing; whatever else is wrong has been told already.
        guard problems.count == before else { return nil }
        if server != nil { problems.append("\(Settings.emailSender.name) is not set, and \(Settings.smtpURL.name) is") }
        if sender != nil { problems.append("\(Settings.smtpURL.name) is not set, and \(Settings.emailSender.name) is") }
        return nil
    }
}
