import API
import Crypto
import Encoding
import EventLoop
import HTTP
import Identity
import JSON
import Simulators
import Storage
import Synchronization
import Testing

@testable import DevMode
@testable import Gateway
@testable import Providers

/// The simulated providers of a test. They sign tokens, and the gateway fetches the keys that verify the signatures.
struct SimulatedProviders: Sendable {
    static let appleClientID = "com.example.app"
    static let googleClientID = "demo.apps.googleusercontent.com"
    // Shared by all tests, because generating RSA keys is slow.
    private static let appleKeys = RSAKeySupply()
    private static let googleKeys = RSAKeySupply()

    let apple: SimulatedApple
    let google: SimulatedGoogle
    let corporate: CorporateProviders
    let invented: InventedProvider
    /// The URLs from which the gateway fetched documents, and to which it sent token requests, except Apple's token
    /// endpoints.
    let requestLog = RequestLog()

    final class RequestLog: Sendable {
        private let recorded = Mutex<Set<String>>([])

        var urls: Set<String> { recorded.withLock { $0 } }

        func record(_ url: String) { recorded.withLock { _ = $0.insert(url) } }
    }

    init(clock: TestClock) throws {
        apple = try SimulatedApple(clock: { clock.now.seconds }, keys: Self.appleKeys)
        google = try SimulatedGoogle(clock: { clock.now.seconds }, keys: Self.googleKeys)
        corporate = try CorporateProviders(clock: clock)
        invented = InventedProvider(clock: clock)
    }

    /// Fetches keys and discovery documents from the simulated providers only.
    var fetch: DocumentFetch {
        DocumentFetch { [apple, google, corporate, invented, requestLog] address in
            requestLog.record(address.url)
            if let document = try corporate.document(at: address.url) ?? invented.document(at: address.url) {
                return (body: document, maxAge: nil)
            }
            let provider: any SimulatedProvider =
                if address.url == IdentityProvider.apple.endpoints.keysURL {
                    apple
                } else if address.url == IdentityProvider.google.endpoints.keysURL {
                    google
                } else {
                    throw UnknownAddress(url: address.url)
                }
            let path = provider is SimulatedApple ? SimulatedApple.keysPath : SimulatedGoogle.keysPath
            let response = await provider.respond(
                to: Request(
                    id: "0", method: .get, path: path, query: [], headers: Headers(), body: [], peer: "127.0.0.1"))
            guard response.status == 200 else { throw UnknownAddress(url: address.url) }
            return (body: response.body, maxAge: nil)
        }
    }

    /// Sends token requests to the simulated Google, ``InventedProvider`` and ``CorporateProviders`` only.
    var tokenRequestSender: TokenRequestSender {
        { [google, corporate, invented, requestLog] request in
            requestLog.record(request.url)
            if let response = try corporate.tokenResponse(to: request) ?? invented.tokenResponse(to: request) {
                return response
            }
            guard IdentityProvider.google.endpoints.codeExchange == .secretInBody(tokenURL: request.url) else {
                throw UnknownAddress(url: request.url)
            }
            let response = await google.respond(
                to: Request(
                    id: "0", method: request.method, path: SimulatedGoogle.tokenPath, query: [],
                    headers: request.headers, body: request.body, peer: "127.0.0.1"))
            return (response.status, response.body)
        }
    }

    struct UnknownAddress: Error {
        let url: String
    }

    static let providers = [
        ProviderSettings(
            provider: .apple, isEnabled: true, clientIDs: [appleClientID, TestGateway.servicesID], hasSecret: true,
            apple: AppleSettings(teamID: AppleServer.team, keyID: AppleServer.keyID)),
        ProviderSettings(provider: .google, isEnabled: true, clientIDs: [googleClientID]),
    ]
}

/// What a provider's sign-in dialog returns to an app, and the app sends to the gateway.
struct ProviderCredential: Sendable {
    var provider: String
    var idToken: String
    var rawNonce: String?
    /// The member `user` of Apple's response at a first sign-in, as JSON.
    var user: String?
    /// Apple's authorization code.
    var code: String?

    var postBody: String {
        let members = [
            ("id_token", idToken), ("providerId", provider), ("nonce", rawNonce), ("user", user),
            ("code", code),
        ]
        return members.compactMap { name, value in
            value.map { "\(name)=\($0.percentEncoded)" }
        }.joined(separator: "&")
    }
}

extension TestGateway {
    /// The credential that Apple's dialog gives a native app, without an authorization code.
    ///
    /// - Parameters:
    ///   - nonce: the nonce before hashing (default: a new one); `nil` for a token without a nonce.
    ///   - change: changes the identity token before it is signed.
    func appleCredential(
        _ person: SimulatedPerson = .ada, nonce: String? = Random.text(length: 32), user: String? = nil,
        change: (inout TokenDraft) -> Void = { _ in }
    ) throws -> ProviderCredential {
        let claim = nonce.map { Hexadecimal.encode(Digest.sha256(Array($0.utf8))) }
        let idToken = try simulators.apple.identityToken(
            for: person, audience: SimulatedProviders.appleClientID, nonce: claim, changing: change)
        return ProviderCredential(provider: "apple.com", idToken: idToken, rawNonce: nonce, user: user)
    }

    /// The credential that Google's dialog gives an app.
    ///
    /// - Parameter change: changes the ID token before it is signed.
    func googleCredential(
        _ person: SimulatedPerson = .mary, nonce: String? = nil, change: (inout TokenDraft) -> Void = { _ in }
    ) throws -> ProviderCredential {
        let idToken = try simulators.google.idToken(
            for: person, audience: SimulatedProviders.googleClientID, nonce: nonce, changing: change)
        return ProviderCredential(provider: "google.com", idToken: idToken, rawNonce: nonce)
    }

    /// - Parameter more: further members of the request.
    func signIn(_ credential: ProviderCredential, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await signInWithIdp(
            more.merging(["postBody": .string(credential.postBody), "requestUri": "http://localhost"]) { given, _ in
                given
            })
    }

    /// - Parameters:
    ///   - idToken: the caller's ID token, which names the account.
    ///   - more: further members of the request.
    func link(
        _ credential: ProviderCredential, to idToken: String, _ more: [String: JSON] = [:]
    ) async throws -> Exchange {
        try await signIn(credential, more.merging(["idToken": .string(idToken)]) { given, _ in given })
    }

    func signInWithIdp(_ body: [String: JSON]) async throws -> Exchange {
        try await post("/v1/accounts:signInWithIdp", .object(body))
    }

    /// - Parameter more: further members of the request, for example a tenant.
    func signUpAnonymously(_ more: [String: JSON] = [:]) async throws -> Tokens {
        try Tokens(await post("/v1/accounts:signUp", .object(more)))
    }

    /// Looks up the account of an ID token, as its user does.
    func accountSeenByUser(_ idToken: String) async throws -> JSON {
        try #require(try await lookup(idToken).json["users"]?[0])
    }
}

extension String {
    var percentEncoded: String {
        utf8.map { byte in
            let isUnreserved =
                byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isUnreserved ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }
}

/// The value of a claim in a test case, and its description.
struct JSONValueCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let value: JSONValue

    init(_ testDescription: String, _ value: JSONValue) {
        self.testDescription = testDescription
        self.value = value
    }
}
