internal import Encoding
package import HTML
package import JSON

/// An account as the admin API returns it (the schema `User`).
package struct AccountSummary: Sendable {
    package let id: String
    package let email: String?
    let emailIsVerified: Bool
    let displayName: String?
    let phoneNumber: String?
    /// The tag of the language for emails and pages.
    let language: String?
    /// The name of an IANA time zone.
    let timeZone: String?
    let isDisabled: Bool
    let customClaims: String?
    let hasPassword: Bool
    let providers: [String]
    /// In milliseconds since 1970, like the other times.
    let createdAt: Int64?
    let lastSignInAt: Int64?
    package let identities: [Identity]
    let passkeys: [Passkey]
    let factors: [Factor]

    struct Passkey: Sendable {
        /// In base64url.
        let id: String
        let name: String
        let createdAt: String?
        let lastUsedAt: String?
    }

    /// A second factor.
    struct Factor: Sendable {
        let name: String
        let enrolledAt: String?
    }

    /// A sign-in method of the account.
    package struct Identity: Sendable {
        package let provider: String
        /// The provider's ID of the user; `nil` for a password, for example.
        package let subject: String?
        /// Whether the user has disconnected the app at the provider.
        package let isDisconnected: Bool
        /// Whether Apple's relay forwards email; `nil` if Apple has sent no notification about it.
        package let isForwarding: Bool?
    }

    /// - Returns: `nil` if the value has no ID.
    package init?(_ user: JSONValue) {
        guard let id = user["localId"]?.text else { return nil }
        self.id = id
        email = user["email"]?.text
        emailIsVerified = user["emailVerified"].isTrue
        displayName = user["displayName"]?.text
        phoneNumber = user["phoneNumber"]?.text
        language = user["language"]?.text
        timeZone = user["timeZone"]?.text
        isDisabled = user["disabled"].isTrue
        customClaims = user["customAttributes"]?.text
        hasPassword = user["passwordHash"] != nil
        identities = user["providerUserInfo"].elements.compactMap(Identity.init)
        passkeys = user["passkeyInfo"].elements.compactMap(Passkey.init)
        factors = user["mfaInfo"].elements.map(Factor.init)
        providers =
            identities.map(\.provider)
            + (user["customAuth"].isTrue ? ["custom token"] : [])
        createdAt = user["createdAt"]?.text.flatMap { Int64($0) }
        lastSignInAt = user["lastLoginAt"]?.text.flatMap { Int64($0) }
    }

    /// Whether the account has no way to sign in, so that only its present session can use it.
    var isGuest: Bool { providers.isEmpty && email == nil && phoneNumber == nil }

    /// Whether Apple's relay has stopped forwarding email to an address of the account.
    var isRelayStopped: Bool { identities.contains { $0.isForwarding == false } }

    /// The accounts of a response.
    package static func all(in result: APIResult) -> [AccountSummary] {
        let users = result.json?["userInfo"].elements ?? []
        return (users.isEmpty ? (result.json?["users"]).elements : users).compactMap(AccountSummary.init)
    }

    /// The name under which lists show the account.
    package var title: String {
        email ?? displayName ?? phoneNumber ?? "\(isGuest ? "Guest" : "Account") \(id.shortened(to: 16))"
    }

    /// The states that a list marks.
    var tags: [String] {
        (isDisabled ? ["disabled"] : []) + (isRelayStopped ? ["relay stopped"] : [])
            + (identities.contains(where: \.isDisconnected) ? ["disconnected"] : [])
            + (email != nil && !emailIsVerified ? ["not verified"] : []) + (isGuest ? ["guest"] : [])
    }
}

extension AccountSummary.Passkey {
    /// - Returns: `nil` if the value has no ID.
    fileprivate init?(_ passkey: JSONValue) {
        guard let id = passkey["credentialId"]?.text else { return nil }
        self.id = id
        name = passkey["name"]?.text.flatMap { $0.isEmpty ? nil : $0 } ?? "Passkey"
        createdAt = passkey["createdAt"]?.text
        lastUsedAt = passkey["lastUsedAt"]?.text
    }
}

extension AccountSummary.Factor {
    fileprivate init(_ factor: JSONValue) {
        let number = (factor["phoneInfo"]?.text).map { "text messages to \($0)" }
        let name = factor["displayName"]?.text.flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        self.name = (number ?? "authenticator app") + name
        enrolledAt = factor["enrolledAt"]?.text
    }
}

extension AccountSummary.Identity {
    /// - Returns: `nil` if the value names no provider.
    fileprivate init?(_ method: JSONValue) {
        guard let provider = method["providerId"]?.text else { return nil }
        self.provider = provider
        subject = method["rawId"]?.text
        isDisconnected = method["credentialState"]?.text?.isExactly("REVOKED") == true
        isForwarding = method["emailForwarding"].map { $0 == .bool(true) }
    }
}

extension String {
    /// The text, cut after `length` characters. A cut text ends in `…`.
    package func shortened(to length: Int) -> String { count > length ? prefix(length - 1) + "…" : self }

    /// The text without surrounding spaces.
    package var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension Markup {
    package static func tag(_ text: String) -> Markup { Markup(.span, [.classes(["tag"])], text: text) }

    package static func soft(_ text: String) -> Markup { Markup(.span, [.classes(["soft"])], text: text) }

    package static func link(_ path: String, _ content: Markup) -> Markup {
        Markup(.a, [.href(URLReference(path))], [content])
    }

    /// A table with a heading above each column. In narrow windows, a table of more than two columns shows each row as
    /// a list of headings with their values.
    package static func table(_ label: String, _ headings: [String], _ rows: [[Markup]]) -> Markup {
        table(label, headings, body: Markup(.tbody, rows.map { row(headings, $0) }))
    }

    /// - Parameter body: the element `tbody`, with rows of ``row(_:_:)``.
    package static func table(_ label: String, _ headings: [String], body: Markup) -> Markup {
        let head = Markup(
            .thead, [Markup(.tr, headings.map { Markup(.th, [.scope("col")], text: $0) })])
        let attributes: [Attribute] = isWide(headings) ? [.classes(["wide"]), .label(label)] : [.label(label)]
        return Markup(.table, attributes, [head, body])
    }

    /// A row of a table with these headings.
    package static func row(_ headings: [String], _ contents: [Markup]) -> Markup {
        let cells = zip(headings, contents).map { heading, content in
            Markup(.td, isWide(headings) && !content.isEmpty ? [.columnHeading(heading)] : [], [content])
        }
        return Markup(.tr, cells + [.newline])
    }

    private static func isWide(_ headings: [String]) -> Bool { headings.count > 2 }

    /// Whether the markup shows nothing.
    private var isEmpty: Bool { [Markup.text(""), .isolated(""), .group([])].contains { html.isExactly($0.html) } }

    /// A list of names with their values.
    package static func details(_ details: [(String, Markup)]) -> Markup {
        Markup(.dl, details.flatMap { [Markup(.dt, text: $0.0), Markup(.dd, [$0.1])] })
    }

    package static func group(_ content: [Markup]) -> Markup { Markup(.span, content) }
}
