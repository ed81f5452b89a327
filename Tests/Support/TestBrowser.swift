import Encoding
import HTTP
import Identity
import Simulators
import Synchronization
import Testing

/// A browser with cookies, in which a person signs in at a provider.
final class TestBrowser: Sendable {
    let gateway: TestGateway
    private let jar = Mutex<[String: String]>([:])

    init(_ gateway: TestGateway) {
        self.gateway = gateway
    }

    /// Returns the names and values of a query; none if it is malformed.
    fileprivate static func parameters(_ query: Substring) -> [(name: String, value: String)] {
        (FormDecoder.decode(Array(query.utf8)) ?? []).map { ($0.name.rawValue, $0.value) }
    }

    var cookies: [String: String] { jar.withLock { $0 } }

    func setCookie(_ name: String, _ value: String) { jar.withLock { $0[name] = value } }

    /// Requests a page of the gateway. Redirects are not followed.
    ///
    /// - Parameter isCrossSite: whether a page of another site sends the form. Browsers then omit the gateway's
    ///   cookies, which are `SameSite=Lax`.
    func send(
        _ method: HTTP.Method = .get, _ url: String, form: [(String, String)]? = nil, body: [UInt8]? = nil,
        isCrossSite: Bool = false, headers more: [(String, String)] = []
    ) async throws -> Exchange {
        var headers = Headers(more.map { (name: $0.0, value: $0.1) })
        let sent = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        if !sent.isEmpty, !isCrossSite { headers.add("Cookie", sent) }
        if form != nil { headers.add("Content-Type", "application/x-www-form-urlencoded") }
        let body = body ?? Array(PercentEncoding.encode(form: form ?? []).utf8)
        let parts = url.split(separator: "?", maxSplits: 1)
        let answer = try await gateway.send(
            method, String(parts[0]).path, body: body,
            query: parts.count == 2 ? Self.parameters(parts[1]) : [], headers: headers)
        for cookie in answer.headers.filter({ $0.name == "Set-Cookie" }).map(\.value) {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            jar.withLock { $0[pair[0]] = cookie.contains("Max-Age=0") ? nil : pair.last }
        }
        return answer
    }

    /// Opens the provider's page, signs in there as a person who consents, and returns to the gateway. Follows the
    /// redirect after Apple's form.
    ///
    /// - Parameter change: changes the parameters of the provider's response.
    /// - Returns: the gateway's response.
    func signInAtProvider(
        _ person: SimulatedPerson = .ada, opening authorizationURL: String,
        change: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Exchange {
        guard authorizationURL.isOfApple else {
            return try await send(.get, responseURL(person, at: authorizationURL, change: change))
        }
        let posted = try await postAppleForm(of: person, for: authorizationURL, change: change)
        guard posted.status == 303, let location = posted.location else { return posted }
        return try await send(.get, "/__/auth/" + location)
    }

    /// Returns the URL that the browser opens after the person has agreed at the provider. For Apple, posts Apple's
    /// form to the gateway first.
    func responseURL(
        _ person: SimulatedPerson = .ada, at authorizationURL: String,
        change: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> String {
        guard !authorizationURL.isOfApple else {
            let posted = try await postAppleForm(of: person, for: authorizationURL, change: change)
            return "/__/auth/" + (try #require(posted.location, "\(posted.text)"))
        }
        let request = QueryParameters(authorizationURL)
        var response = [
            ("state", request["state"]), ("code", try gateway.authorizationCode(of: person, for: authorizationURL)),
            ("iss", Self.issuer(of: authorizationURL)),
        ]
        change(&response)
        return request["redirect_uri"] + "?" + PercentEncoding.encode(form: response)
    }

    private func postAppleForm(
        of person: SimulatedPerson, for authorizationURL: String, change: (inout [(String, String)]) -> Void
    ) async throws -> Exchange {
        var form = try gateway.appleForm(of: person, for: authorizationURL)
        change(&form)
        return try await send(.post, QueryParameters(authorizationURL)["redirect_uri"], form: form, isCrossSite: true)
    }

    fileprivate static func issuer(of url: String) -> String {
        url.split(separator: "/").prefix(2).joined(separator: "//")
    }
}

/// The query of a URL.
struct QueryParameters {
    let all: [String: String]

    init(_ url: String) {
        let query = url.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        all = Dictionary(TestBrowser.parameters(query).map { ($0.name, $0.value) }) { first, _ in first }
    }

    subscript(name: String) -> String { all[name] ?? "" }
}

extension String {
    /// The path of a URL of the gateway. Any other text is returned unchanged.
    fileprivate var path: String {
        let origin = "https://auth.example.com"
        return hasPrefix(origin) ? String(dropFirst(origin.count)) : self
    }

    /// Whether this authorization URL is Apple's.
    fileprivate var isOfApple: Bool { hasPrefix("https://appleid.apple.com/") }
}

extension TestGateway {
    /// The Services ID, which is Apple's client ID in a browser.
    static let servicesID = "com.example.web"
    /// The default continue URI, which is the client's page to which the browser returns after a sign-in.
    static let continueURI = "https://localhost/done"

    /// The authorization code with which a provider responds after the person has agreed.
    func authorizationCode(of person: SimulatedPerson, for authorizationURL: String) throws -> String {
        let request = QueryParameters(authorizationURL)
        if authorizationURL.isOfApple {
            return try appleForm(of: person, for: authorizationURL).first { $0.0 == "code" }?.1 ?? ""
        }
        if authorizationURL.hasPrefix("https://accounts.google.com/") {
            simulators.google.register(GoogleClient(id: request["client_id"]))
            return try simulators.google.authorize(
                person, client: request["client_id"], redirectURI: request["redirect_uri"], nonce: request["nonce"],
                codeChallenge: request["code_challenge"], isOffline: request["access_type"] == "offline")
        }
        if authorizationURL.hasPrefix("https://login.invented.example/") {
            return simulators.invented.authorize(
                person.id, nonce: request["nonce"], challenge: request["code_challenge"])
        }
        return simulators.corporate.authorize(
            person.id, of: TestBrowser.issuer(of: authorizationURL), nonce: request["nonce"],
            challenge: request["code_challenge"])
    }

    /// The form that Apple's page posts after the person has agreed.
    func appleForm(of person: SimulatedPerson, for authorizationURL: String) throws -> [(String, String)] {
        let request = QueryParameters(authorizationURL)
        return try simulators.apple.authorize(
            person, client: request["client_id"], nonce: request["nonce"], state: request["state"],
            redirectURI: request["redirect_uri"]
        ).formFields.map { ($0.name, $0.value) }
    }

    func createAuthUri(_ provider: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await post(
            "/v1/accounts:createAuthUri",
            .object(["providerId": .string(provider), "continueUri": .string(Self.continueURI)].merging(more) { $1 }))
    }

    /// Starts a sign-in in a browser (a flow).
    func startFlow(_ provider: String, _ more: [String: JSON] = [:]) async throws -> ClientFlow {
        let started = try await createAuthUri(provider, more)
        return ClientFlow(
            gateway: self, authURI: try #require(started.json["authUri"]?.string, "\(started.text)"),
            sessionID: try #require(started.json["sessionId"]?.string))
    }

    /// Signs in with the URL to which a flow (a sign-in in a browser) returned, and with the session ID of the flow.
    func signIn(
        at requestURI: String?, sessionID: String?, _ more: [String: JSON] = [:]
    ) async throws -> Exchange {
        var body: [String: JSON] = ["returnSecureToken": true]
        body["requestUri"] = requestURI.map { .string($0) }
        body["sessionId"] = sessionID.map { .string($0) }
        return try await signInWithIdp(body.merging(more) { $1 })
    }

    /// The URL with which Firebase's SDK opens the handler.
    static func handlerURL(
        _ provider: String, type: String = "signInViaPopup", _ more: [String: String] = [:],
        at path: String = "/__/auth/handler"
    ) -> String {
        let query = [
            "apiKey": apiKey, "appName": "[DEFAULT]", "v": "12.14.0", "authType": type, "eventId": "0123456789",
            "redirectUrl": "https://localhost/app?tab=1#top", "providerId": provider,
        ].merging(more) { $1 }
        return path + "?" + PercentEncoding.encode(form: query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}

/// A sign-in in a browser that a client has started.
struct ClientFlow: Sendable {
    let gateway: TestGateway
    let authURI: String
    let sessionID: String

    /// The person signs in at the provider in a browser. Returns the URL to which the gateway then sends the browser.
    func signInAtProvider(_ person: SimulatedPerson = .ada) async throws -> String {
        let back = try await TestBrowser(gateway).signInAtProvider(person, opening: authURI)
        #expect(back.status == 303, "\(back.text)")
        return try #require(back.location)
    }

    /// The client signs in with the URL to which the gateway sent the browser.
    func signIn(at requestURI: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await gateway.signIn(at: requestURI, sessionID: sessionID, more)
    }

    /// The person agrees in a browser, and the client signs in with the result.
    func complete(_ person: SimulatedPerson = .ada, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await signIn(at: signInAtProvider(person), more)
    }
}
