internal import Glibc
package import Identity
package import SMTP

extension Settings {
    static let smtpURL = Setting(
        name: "SEKISHO_SMTP_URL", fallback: nil,
        meaning:
            "the SMTP server, such as smtps://user:password@mail.example.com; if it is not set, no email is sent",
        isSecret: true)
    static let emailSender = Setting(
        name: "SEKISHO_EMAIL_FROM", fallback: nil,
        meaning:
            "the sender address of projects that have none of their own; set it if and only if SEKISHO_SMTP_URL is set")
    static let smtpAuthorities = Setting(
        name: "SEKISHO_SMTP_CA_FILE", fallback: nil,
        meaning: "a file of PEM certificates to trust instead of those of the system, for the SMTP server")

    static let email = [smtpURL, emailSender, smtpAuthorities]
}

/// The SMTP server and the sender of emails.
package struct EmailConfig: Sendable {
    package var server: SubmissionServer
    /// The sender address of projects that have none of their own.
    package var sender: EmailAddress

    /// The maximum time for the delivery of one message.
    package static let deliveryTimeout: Duration = .seconds(30)
}

extension SettingsReader {
    /// - Returns: `nil` if email is not configured, or if its configuration is invalid.
    package mutating func email() -> EmailConfig? {
        let count = collector.problems.count
        let authorities = optional(Settings.smtpAuthorities, "the path of a readable file") { path in
            access(path, R_OK) == 0 ? path : nil
        }
        let server = optional(
            Settings.smtpURL, "smtp:// or smtps:// with a host, and optionally user:password@ and a port"
        ) { SubmissionServer(url: $0, certificateAuthorities: authorities) }
        let sender = optional(Settings.emailSender, "an email address") { EmailAddress($0) }
        if let server, let sender { return EmailConfig(server: server, sender: sender) }
        // An invalid value has been reported already. Otherwise at least one of the two settings is missing.
        guard collector.problems.count == count else { return nil }
        if server != nil { add(Settings.emailSender, "is not set, but \(Settings.smtpURL.name) is") }
        if sender != nil { add(Settings.smtpURL, "is not set, but \(Settings.emailSender.name) is") }
        return nil
    }
}
