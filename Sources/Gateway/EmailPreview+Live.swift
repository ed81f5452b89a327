internal import Email
internal import EventLoop
package import Identity
internal import SMTP

extension EmailPreview {
    /// - Parameter publicURL: returns the URL that links begin with.
    package static func renderer(publicURL: @escaping @Sendable () -> String) -> Renderer {
        { kind, language, realm, name, app in
            guard let sample = EmailAddress("ada@example.com") else { return nil }
            let renderer = EmailRenderer(sender: sample) { $0.actionBase(of: $1, at: publicURL()) }
            let email = OutgoingEmail(
                id: ID("preview"), kind: kind, account: nil, recipient: sample, language: language, content: [],
                createdAt: Instant(seconds: 0), expiresAt: Instant(seconds: 0) + realm.policy.resetLifetime)
            var payload = EmailPayload(code: "SAMPLE")
            payload.app = app
            return renderer.message(of: email, payload, for: SendingRealm(realm: realm, name: name)).map {
                EmailPreview(subject: $0.subject, text: $0.text, html: $0.html)
            }
        }
    }
}
