internal import Encoding
internal import HTML

/// A ceremony with passkeys (WebAuthn Level 3 §5.1), which the script of the page performs.
package struct ConsoleCeremony: Sendable {
    /// The field in which the script sends the response of the authenticator.
    static let responseField = "credential"

    /// `PublicKeyCredentialRequestOptionsJSON` or `PublicKeyCredentialCreationOptionsJSON`.
    let options: String
    let script: ScreenScript
    /// What the page says if the person ends the ceremony, or the authenticator fails.
    let failure: String

    package init(options: String, script: ScreenScript, failure: String) {
        self.options = options
        self.script = script
        self.failure = failure
    }

    /// The form stays hidden in a browser without scripts or without passkeys.
    var attributes: [Attribute] { [.hidden, .passkeyOptions(options)] }

    var status: [Markup] { [Markup(.p, [.role("status"), .hidden], text: failure)] }
}

extension FormInput {
    /// The response of the authenticator, in JSON.
    package var passkeyResponse: String { self[.init(ConsoleCeremony.responseField)] }
}

extension Markup {
    /// A text that the script hides if the browser supports passkeys.
    static func withoutPasskeys(_ text: String) -> Markup { Markup(.p, [.id(ElementID("noPasskeys"))], text: text) }
}
