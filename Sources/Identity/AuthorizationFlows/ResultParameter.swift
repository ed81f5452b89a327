internal import Encoding

/// A parameter that the gateway adds to the query of an app's URL when the browser returns to the app.
///
/// ``AuthorizationTarget/adding(_:)`` accepts no other parameter, so that a URL which already has one can be rejected.
public enum ResultParameter: String, CaseIterable, Sendable {
    /// The result of a provider; see ``FlowResultSecrets``.
    case grant
    /// Why there is no result.
    case error
    /// The result of the sign-in page, which the app exchanges for tokens.
    case code
    /// The value with which the app started the sign-in page.
    case state
    /// The gateway's issuer (RFC 9207).
    case issuer = "iss"

    /// The result of a flow of `createAuthUri`.
    static let ofProvider: Set<ResultParameter> = [.grant, .error]
}

extension String {
    /// Whether the query of the URL has one of the parameters.
    ///
    /// Names are compared as the app reads them, which decodes percent-escapes: `%63ode` is `code`.
    func queryHas(_ parameters: Set<ResultParameter>) -> Bool {
        let query = prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").contains { pair in
            let name = pair.prefix { $0 != "=" }
            let decoded = PercentEncoding.decode(name.utf8, plusIsSpace: true) ?? String(name)
            return parameters.contains { $0.rawValue.isExactly(decoded) }
        }
    }
}
