internal import Encoding
internal import Identity
internal import JSON
internal import Providers
internal import Simulators

extension SimulatedGoogle: DevSimulator {
    static var provider: ProviderID { .google }
    static var memberName: String { "google" }
    static var clientID: String { "demo.apps.googleusercontent.com" }
    static var initialIssuer: String { GoogleIssuer.url.rawValue }

    static func make(clock: @escaping @Sendable () -> Int64, people: SimulatedPeople) throws -> SimulatedGoogle {
        let google = try SimulatedGoogle(clock: clock, publishing: 1, people: people)
        google.checksClientSecrets = false
        return google
    }

    /// Returns the user information in the format of Google's older API.
    static func userInfo(_ claims: JSONObject, hasEmail: Bool) -> JSONObject {
        func text(_ name: ByteText) -> JSONValue? {
            guard case .string(let text) = claims[name], !text.isEmpty else { return nil }
            return .string(text)
        }
        let isVerified = claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true")
        let scopes = "openid https://www.googleapis.com/auth/userinfo.profile"
        let emailScope = hasEmail ? " https://www.googleapis.com/auth/userinfo.email" : ""
        var info: JSONObject = [
            "granted_scopes": .string(scopes + emailScope), "locale": .string("en"),
            "verified_email": .bool(isVerified),
        ]
        info["id"] = text("sub")
        let names: [ByteText] = ["name", "given_name", "family_name", "email", "picture"]
        for name in names { info[name] = text(name) }
        return info
    }

    func registerClient(_ id: String) { register(GoogleClient(id: id)) }

    func signIn(
        _ person: SimulatedPerson, to clientID: String, nonce: String?, isFirst: Bool
    ) throws -> (idToken: String, authorizationCode: String) {
        if isFirst { disconnect(person, from: clientID) }
        return (
            try idToken(for: person, audience: clientID, nonce: nonce),
            try authorize(person, client: clientID, nonce: nonce)
        )
    }
}
