import Foundation
import Testing

@testable import SekishoAuth

/// The system's dialogs do not exist on Linux. These tests begin and end where the library meets them: with the options
/// of a request, and with the bytes of its result. The gateway's responses are recorded ones.
@Suite("Passkeys")
struct PasskeyTests {
    /// Bytes whose base64 has padding, and characters that base64url does not have.
    static let credentialID = Data([0xFB, 0xFF, 0xFE, 1])

    static let creation = """
        {"credentialCreationOptions":{"rp":{"id":"example.com","name":"Example"},\
        "user":{"id":"YWJj","name":"ada@example.com","displayName":""},"challenge":"eHl6",\
        "pubKeyCredParams":[{"type":"public-key","alg":-7}],\
        "excludeCredentials":[{"type":"public-key","id":"-__-AQ"},{"type":"public-key","id":"+//+AQ=="}]},\
        "sessionId":"xyz"}
        """

    @Test("The options of a new passkey are decoded from either alphabet of base64")
    func creationOptions() async throws {
        let gateway = RecordedGateway()
        let user = try await gateway.auth.signIn(withEmail: "ada@example.com", password: "secret1").user
        gateway.respond(to: "passkeyEnrollment:start", with: Self.creation)
        let options = try await user.passkeyCreationOptions()
        #expect(options.relyingPartyIdentifier == "example.com")
        #expect(options.challenge == Data("xyz".utf8))
        #expect(options.userID == Data("abc".utf8))
        #expect(options.name == "ada@example.com")
        #expect(options.excludedCredentialIDs == [Self.credentialID, Self.credentialID])
        #expect(gateway.latestBody == #"{"idToken":"\#(RecordedGateway.idToken)"}"#)

        gateway.respond(to: "passkeyEnrollment:start", with: Self.creation)
        _ = try await user.passkeyCreationOptions(isUpgrade: true)
        #expect(gateway.latestBody == #"{"idToken":"\#(RecordedGateway.idToken)","mediation":"conditional"}"#)

        gateway.respond(
            to: "passkeyEnrollment:start", with: Self.creation.replacingOccurrences(of: "eHl6", with: "e*"))
        await #expect(throws: AuthErrorCode.internalError) { try await user.passkeyCreationOptions() }
    }

    @Test("An enrolled passkey is sent in base64url, and an anonymous user becomes a permanent one")
    func enrollment() async throws {
        let gateway = RecordedGateway()
        gateway.respond(to: "accounts:signUp", with: RecordedGateway.session)
        let user = try await gateway.auth.signInAnonymously().user
        #expect(user.isAnonymous)
        gateway.respond(to: "passkeyEnrollment:finalize", with: RecordedGateway.session)
        let credential = PasskeyCredential(
            credentialID: Self.credentialID, clientDataJSON: Data("{}".utf8), attestationObject: Data([0xFF]))
        // The look-up fails, so that the profile is that of the sign-in.
        let result = try await user.enrollPasskey(credential, name: "Key")
        #expect(
            gateway.body(of: "passkeyEnrollment:finalize") == """
                {"authenticatorRegistrationResponse":{"id":"-__-AQ","rawId":"-__-AQ",\
                "response":{"attestationObject":"_w","clientDataJSON":"e30"},"type":"public-key"},\
                "idToken":"\(RecordedGateway.idToken)","name":"Key"}
                """)
        #expect(result.user === user)
        #expect(result.additionalUserInfo?.providerID == "passkey")
        #expect(!user.isAnonymous)
    }

    @Test("A response with the tokens of another account is rejected")
    func enrollmentOfAnotherAccount() async throws {
        let gateway = RecordedGateway()
        let user = try await gateway.auth.signIn(withEmail: "ada@example.com", password: "secret1").user
        gateway.respond(
            to: "passkeyEnrollment:finalize",
            with: RecordedGateway.session.replacingOccurrences(
                of: RecordedGateway.idToken, with: RecordedGateway.idToken(of: "eve")))
        let credential = PasskeyCredential(credentialID: Self.credentialID, clientDataJSON: Data())
        await #expect(throws: AuthErrorCode.self) { try await user.enrollPasskey(credential, name: nil) }
        #expect(try await user.getIDToken() == RecordedGateway.idToken)
    }

    @Test("A sign-in with a passkey sets the current user")
    func signIn() async throws {
        let gateway = RecordedGateway()
        gateway.respond(
            to: "passkeySignIn:start",
            with: #"{"credentialRequestOptions":{"challenge":"eHl6","rpId":"example.com","timeout":300000}}"#)
        let options = try await gateway.auth.passkeyRequestOptions()
        #expect(options.challenge == Data("xyz".utf8))
        #expect(options.relyingPartyIdentifier == "example.com")
        #expect(gateway.latestBody == "{}")

        gateway.respond(to: "passkeySignIn:finalize", with: RecordedGateway.session)
        let result = try await gateway.auth.signIn(
            withPasskey: PasskeyCredential(
                credentialID: Self.credentialID, clientDataJSON: Data("{}".utf8), authenticatorData: Data([1]),
                signature: Data([2]), userID: Data("abc".utf8)))
        #expect(
            gateway.body(of: "passkeySignIn:finalize") == """
                {"authenticatorAuthenticationResponse":{"id":"-__-AQ","rawId":"-__-AQ",\
                "response":{"authenticatorData":"AQ","clientDataJSON":"e30","signature":"Ag","userHandle":"YWJj"},\
                "type":"public-key"}}
                """)
        #expect(result.user.uid == "ada")
        #expect(result.additionalUserInfo?.providerID == "passkey")
        #expect(result.additionalUserInfo?.isNewUser == false)
        #expect(gateway.auth.currentUser === result.user)
    }

    @Test("A sign-up with a passkey creates an account")
    func signUp() async throws {
        let gateway = RecordedGateway()
        gateway.respond(to: "passkeySignUp:start", with: Self.creation)
        let options = try await gateway.auth.startPasskeySignUp(email: "eve@example.com", displayName: "Eve")
        #expect(gateway.latestBody == #"{"displayName":"Eve","email":"eve@example.com"}"#)
        #expect(options.relyingPartyIdentifier == "example.com")
        #expect(options.challenge == Data("xyz".utf8))
        #expect(options.userID == Data("abc".utf8))
        #expect(options.name == "ada@example.com")

        let created = RecordedGateway.session.replacingOccurrences(of: "false", with: "true")
        gateway.respond(to: "passkeySignUp:finalize", with: created)
        let result = try await gateway.auth.signUp(
            withPasskey: PasskeyCredential(credentialID: Self.credentialID, clientDataJSON: Data()), name: nil,
            email: "eve@example.com", displayName: "Eve")
        #expect(result.additionalUserInfo?.isNewUser == true)
        #expect(gateway.auth.currentUser === result.user)
    }

    @Test("A passkey of no account is reported, and nobody is signed in")
    func unknownPasskey() async throws {
        let gateway = RecordedGateway()
        gateway.respond(
            to: "passkeySignIn:finalize", with: #"{"error":{"code":400,"message":"PASSKEY_ENROLLMENT_NOT_FOUND"}}"#,
            status: 400)
        let credential = PasskeyCredential(credentialID: Self.credentialID, clientDataJSON: Data())
        await #expect(throws: AuthErrorCode.missingPasskeyEnrollment) {
            try await gateway.auth.signIn(withPasskey: credential)
        }
        #expect(gateway.auth.currentUser == nil)
    }

    @Test("Passkeys are listed after a reload and a restart, and can be removed by the ID in either alphabet")
    func list() async throws {
        let gateway = RecordedGateway()
        let user = try await gateway.auth.signIn(withEmail: "ada@example.com", password: "secret1").user
        #expect(user.enrolledPasskeys.isEmpty)
        let lookup = """
            {"users":[{"localId":"ada","passkeyInfo":[{"credentialId":"-__-AQ","name":"Key",\
            "createdAt":"2026-01-02T03:04:05.678Z","backedUp":true,"transports":[],"aaguid":"x"}],\
            "passkeySignals":[{"rpId":"example.com","userId":"YWJj","allAcceptedCredentialIds":["-__-AQ"],\
            "name":"ada@example.com","displayName":""}]}]}
            """
        gateway.respond(to: "accounts:lookup", with: lookup)
        try await user.reload()
        let passkey = try #require(user.enrolledPasskeys.first)
        #expect(user.enrolledPasskeys.count == 1)
        #expect(passkey.id == "-__-AQ")
        #expect(passkey.name == "Key")
        #expect(passkey.isBackedUp)
        #expect(passkey.creationDate.map { Int($0.timeIntervalSince1970) } == 1_767_323_045)
        #expect(passkey.lastUsedDate == nil)
        #expect(gateway.authOfNewProcess().currentUser?.enrolledPasskeys == [passkey])

        gateway.respond(to: "accounts:lookup", with: lookup)
        let signal = try #require(try await user.passkeySignals().first)
        #expect(signal.allAcceptedCredentialIds == ["-__-AQ"])

        for id in ["", "AQ", "*"] {
            await #expect(throws: AuthErrorCode.missingPasskeyEnrollment) {
                try await user.unenrollPasskey(withCredentialID: id)
            }
        }
        for id in ["-__-AQ", "+//+AQ=="] {
            gateway.respond(
                to: "accounts:update", with: #"{"error":{"code":400,"message":"CREDENTIAL_TOO_OLD_LOGIN_AGAIN"}}"#,
                status: 400)
            await #expect(throws: AuthErrorCode.requiresRecentLogin) {
                try await user.unenrollPasskey(withCredentialID: id)
            }
            #expect(
                gateway.latestBody == #"{"deletePasskey":["-__-AQ"],"idToken":"\#(RecordedGateway.idToken)"}"#)
        }

        // The gateway no longer knows the user handle, so its last list is kept for the password managers.
        gateway.respond(
            to: "accounts:update",
            with: String(RecordedGateway.session.dropLast()) + """
                ,"passkeySignals":[{"rpId":"example.com","userId":"YWJj","allAcceptedCredentialIds":[],\
                "name":"ada@example.com","displayName":""}]}
                """)
        try await user.unenrollPasskey(withCredentialID: "-__-AQ")
        gateway.respond(to: "accounts:lookup", with: #"{"users":[{"localId":"ada"}]}"#)
        let emptied = try await user.passkeySignals()
        #expect(emptied.map(\.userId) == ["YWJj"])
        #expect(emptied.first?.allAcceptedCredentialIds == [])
    }
}

/// Sends recorded responses. A request without one fails as if the gateway could not be reached.
private final class RecordedGateway: HTTPTransport {
    private struct State {
        var responses: [(operation: String, response: TransportResponse)] = []
        var requests: [(operation: String, body: String)] = []
    }

    /// An ID token of the account `ada`, without signature, which the library does not read.
    static let idToken = idToken(of: "ada")
    /// The response of an operation that opens a session.
    static let session = """
        {"localId":"ada","isNewUser":false,"idToken":"\(idToken)","refreshToken":"refresh","expiresIn":"3600"}
        """

    private let state = Locked(State())
    private let store = MemoryStore()
    /// The library on the device.
    var auth: Auth { device.withLock { $0.auth(self) } }
    private let device = Locked(Device())

    private struct Device {
        var auth: Auth?

        mutating func auth(_ gateway: RecordedGateway) -> Auth {
            let auth = auth ?? gateway.authOfNewProcess()
            self.auth = auth
            return auth
        }
    }

    init() {
        respond(to: "accounts:signInWithPassword", with: Self.session)
        respond(to: "accounts:lookup", with: #"{"users":[{"localId":"ada"}]}"#)
    }

    static func idToken(of uid: String) -> String {
        let claims = #"{"sub":"\#(uid)","sid":"s","iat":1000,"exp":4600,"firebase":{"sign_in_provider":"passkey"}}"#
        return "e30." + Data(claims.utf8).base64URL + "."
    }

    /// The library after a restart of the app.
    func authOfNewProcess() -> Auth {
        var options = SekishoOptions(url: URL(string: "https://auth.example.com")!, apiKey: "key")
        options.store = store
        options.transport = self
        options.refreshesProactively = false
        return Auth(options: options)
    }

    /// Records the response to the next request of an operation, for example `accounts:lookup`.
    func respond(to operation: String, with body: String, status: Int = 200) {
        let response = TransportResponse(
            status: status, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        state.withLock { $0.responses.append((operation, response)) }
    }

    /// The JSON of the latest request, with sorted members.
    var latestBody: String? { state.withLock { $0.requests.last?.body } }

    /// The JSON of the latest request of an operation, with sorted members.
    func body(of operation: String) -> String? {
        state.withLock { $0.requests.last { $0.operation == operation }?.body }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let operation = request.url.path.split(separator: "/").last.map(String.init) ?? ""
        let members = try JSONSerialization.jsonObject(with: request.body ?? Data())
        let body = try JSONSerialization.data(
            withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
        return try state.withLock { state in
            state.requests.append((operation, String(decoding: body, as: UTF8.self)))
            guard let index = state.responses.firstIndex(where: { $0.operation == operation }) else {
                throw URLError(.cannotConnectToHost)
            }
            return state.responses.remove(at: index).response
        }
    }
}
