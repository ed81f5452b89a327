internal import HTML

/// A ceremony with passkeys, which ``PageScript/passkeys`` performs (WebAuthn Level 3 §5.1).
public struct PasskeyCeremony: Sendable {
    /// `PublicKeyCredentialRequestOptionsJSON` or `PublicKeyCredentialCreationOptionsJSON`.
    let options: String
    /// `UnknownCredentialOptions` of a passkey that no account has, so that the browser stops offering it; `nil` if the
    /// user has presented no such passkey.
    let unknown: String?

    public init(options: String, unknown: String? = nil) {
        self.options = options
        self.unknown = unknown
    }

    /// The attributes of the form. It stays hidden in a browser without scripts or without passkeys.
    var attributes: [Attribute] {
        [.hidden, .passkeyOptions(options)] + (unknown.map { [.unknownPasskey($0)] } ?? [])
    }
}

extension Page {
    /// Returns the page with the script for `ceremony`, if there is one.
    func with(_ ceremony: PasskeyCeremony?) -> Page {
        var page = self
        page.usesPasskeys = ceremony != nil
        return page
    }
}

extension Page.Context {
    /// The form whose button signs in with a passkey.
    func passkeyForm(_ ceremony: PasskeyCeremony?, _ step: SignInStep) -> [Markup] {
        guard let ceremony else { return [] }
        return [
            step.form(
                .passkey,
                [.hidden(.credential, ""), quietButton(.passkeySignIn), .passkeyStatus(text(.passkeyFailed))],
                ceremony.attributes)
        ]
    }
}

extension Markup {
    /// A hidden text, which the script shows if the ceremony fails or the user ends it.
    static func passkeyStatus(_ text: String) -> Markup { Markup(.p, [.role("status"), .hidden], text: text) }
}
