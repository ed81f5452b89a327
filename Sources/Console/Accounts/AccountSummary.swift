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
    let isDisabled: Bool
    let customClaims: String?
    let hasPassword: Bool
    let providers: [String]
    /// In milliseconds since 1970, like the other times.
    let createdAt: Int64?
    let lastSignInAt: Int64?
    /// Whether Apple's relay has stopped forwarding email to an address of the account.
    let isRelayStopped: Bool

    /// - Returns: `nil` if the value has no ID.
    package init?(_ user: JSONValue) {
        guard let id = user["localId"]?.text else { return nil }
        self.id = id
        email = user["email"]?.text
        emailIsVerified = user["emailVerified"].isTrue
        displayName = user["displayName"]?.text
        phoneNumber = user["phoneNumber"]?.text
        isDisabled = user["disabled"].isTrue
        customClaims = user["customAttributes"]?.text
        hasPassword = user["passwordHash"] != nil
        let identities = user["providerUserInfo"].elements
        providers =
            identities.compactMap { $0["providerId"]?.text }
            + (user["customAuth"].isTrue ? ["custom token"] : [])
        createdAt = user["createdAt"]?.text.flatMap { Int64($0) }
        lastSignInAt = user["lastLoginAt"]?.text.flatMap { Int64($0) }
        isRelayStopped = identities.contains { $0["emailForwarding"] == .bool(false) }
    }

    /// Whether the account has no way to sign in, so that only its present session can use it.
    var isGuest: Bool { providers.isEmpty && email == nil }

    /// The name under which lists show the account.
    package var title: String { email ?? displayName ?? phoneNumber ?? "Guest \(id.prefix(16))" }

    /// The states that a list marks.
    var tags: [String] {
        (isDisabled ? ["disabled"] : []) + (isRelayStopped ? ["relay stopped"] : [])
            + (email != nil && !emailIsVerified ? ["not verified"] : []) + (isGuest ? ["guest"] : [])
    }
}

extension Markup {
    package static func tag(_ text: String) -> Markup { Markup(.span, [.classes(["tag"])], text: text) }

    package static func soft(_ text: String) -> Markup { Markup(.span, [.classes(["soft"])], text: text) }

    package static func link(_ path: String, _ content: Markup) -> Markup {
        Markup(.a, [.href(URLReference(path))], [content])
    }

    /// A table with a heading above each column. Narrow windows show each row as a group of lines.
    package static func table(_ label: String, _ headings: [String], _ rows: [[Markup]]) -> Markup {
        let head = Markup(
            .thead, [Markup(.tr, headings.map { Markup(.th, [.scope("col")], text: $0) })])
        let body = rows.map { row in Markup(.tr, row.map { Markup(.td, [$0]) } + [.newline]) }
        return Markup(.table, [.label(label)], [head, Markup(.tbody, body)])
    }

    /// A list of names with their values.
    package static func details(_ details: [(String, Markup)]) -> Markup {
        Markup(.dl, details.flatMap { [Markup(.dt, text: $0.0), Markup(.dd, [$0.1])] })
    }

    package static func group(_ content: [Markup]) -> Markup { Markup(.span, content) }
}
