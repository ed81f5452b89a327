import Encoding
import HTTP
import Identity
import Postgres
import Synchronization
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

/// A gateway whose project has blocking functions, and their server.
struct HookFixture: Sendable {
    static let url = "https://hooks.example.com/function"

    let server = HookServer()
    let configurator: Configurator
    let key: ServiceKey

    var gateway: TestGateway { configurator.gateway }

    /// - Parameter isEmulator: whether the gateway has the rules of `dev`.
    init(
        _ events: [String] = ["beforeCreate", "beforeSignIn"], isEmulator: Bool = false, limitsRates: Bool = false,
        change: (inout Policy) -> Void = { _ in }
    ) async throws {
        let server = server
        let gateway = try await TestGateway(
            mode: isEmulator ? .emulator(project: ID("demo")) : .serve(at: "https://auth.example.com"),
            limitsRates: limitsRates, sms: TestGateway.sms,
            change: {
                $0.emailEnumerationProtection = false
                $0.allowsPhoneNumbers = true
                $0.secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true, allowsSMS: true)
                change(&$0)
            }, callbackResponse: { try await server.respond(to: $0) })
        key = try await ServiceKey(id: "hooks", in: gateway, secret: isEmulator ? "owner" : nil)
        configurator = Configurator(gateway: gateway, serviceKey: key)
        try await configure(events)
    }

    func configure(_ events: [String], forwarding: JSON = .null) async throws {
        let triggers = Dictionary(
            uniqueKeysWithValues: events.map { ($0, ["functionUri": .string(Self.url)] as JSON) })
        let configured = try await configurator.send(
            .patch, "config",
            ["blockingFunctions": ["triggers": .object(triggers), "forwardInboundCredentials": forwarding]],
            mask: "blockingFunctions")
        #expect(configured.status == 200, "\(configured.text)")
    }

    /// Merges an account into one to which the user has signed in.
    func merge(_ source: TestGateway.Tokens, into target: TestGateway.Tokens) async throws -> Exchange {
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(source.idToken), "targetIdToken": .string(target.idToken), "dryRun": true,
            ])
        return try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
    }

    func account(_ tokens: TestGateway.Tokens) async throws -> JSON {
        try await gateway.lookup(tokens.idToken).json["users"]?[0] ?? .null
    }

    /// The numbers of accounts and of sessions.
    func stored() async throws -> [Int] {
        let sessions = try await gateway.database.pool.query("SELECT FROM session WHERE ended_at IS NULL").count
        return [try await gateway.accountCount(), sessions]
    }
}

/// The server of blocking functions, which records the calls.
final class HookServer: Sendable {
    typealias Answer = @Sendable (Call) async throws -> ClientResponse

    struct Call: Sendable {
        let token: String
        let request: ClientRequest

        var text: String {
            let part = token.split(separator: ".", omittingEmptySubsequences: false)[1]
            return String(decoding: Base64URL.decode(String(part)) ?? [], as: UTF8.self)
        }

        var claims: JSON { (try? JSON(Array(text.utf8))) ?? .null }
        var event: String { claims["event_type"]?.string ?? "" }
        var record: JSON { claims["user_record"] ?? .null }
    }

    private let received = Mutex<[Call]>([])
    private let answer = Mutex<Answer>({ _ in .json("{}") })

    var calls: [Call] { received.withLock { $0 } }
    var events: [String] { calls.map(\.event) }

    func answer(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    /// Answers every call with this text.
    func answer(_ text: String, status: Int = 200) { answer { _ in .json(text, status: status) } }

    func forgetCalls() { received.withLock { $0 = [] } }

    func respond(to request: ClientRequest) async throws -> ClientResponse {
        let call = Call(token: try JSON(request.body)["data"]?["jwt"]?.string ?? "", request: request)
        received.withLock { $0.append(call) }
        return try await answer.withLock { $0 }(call)
    }
}

extension ClientResponse {
    static func json(_ text: String, status: Int = 200) -> ClientResponse {
        ClientResponse(status: status, body: Array(text.utf8))
    }
}

extension String {
    /// The answer of a function that refuses.
    static let refusal = #"{"error":{"status":"PERMISSION_DENIED","message":"Only members"}}"#

    static func reply(_ mask: String, _ members: String) -> String {
        #"{"userRecord":{"updateMask":"\#(mask)",\#(members)}}"#
    }
}

/// One way to sign in, to sign up or to link.
struct HookedWay: CustomTestStringConvertible, Sendable {
    typealias Request = @Sendable () async throws -> Exchange

    let testDescription: String
    let events: [String]
    /// The claim `sign_in_method`.
    let method: String?
    /// Prepares the request, which can be sent again after a refusal.
    let prepare: @Sendable (HookFixture) async throws -> Request

    init(
        _ description: String, _ events: [String] = [], _ method: String? = nil,
        _ prepare: @escaping @Sendable (HookFixture) async throws -> Request
    ) {
        (testDescription, self.events, self.method, self.prepare) = (description, events, method, prepare)
    }

    private static let both = ["beforeCreate", "beforeSignIn"]
    private static let signIn = ["beforeSignIn"]

    static let asked: [HookedWay] = [
        HookedWay("password: sign-up", both, "password") { fixture in
            {
                try await fixture.gateway.post(
                    "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1", "displayName": "Ada"])
            }
        },
        HookedWay("password: sign-in", signIn, "password") { fixture in
            _ = try await fixture.gateway.signUp()
            return { try await fixture.gateway.signIn() }
        },
        HookedWay("email link: new account", both, "emailLink") { fixture in
            let code = try await fixture.gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return { try await fixture.gateway.signInWithEmailLink("ada@example.com", code) }
        },
        HookedWay("email link: the owner of the address", signIn, "emailLink") { fixture in
            _ = try await fixture.gateway.signUpVerified()
            let code = try await fixture.gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return { try await fixture.gateway.signInWithEmailLink("ada@example.com", code) }
        },
        HookedWay("email link: reclaim", signIn, "emailLink") { fixture in
            _ = try await fixture.gateway.signUp()
            let code = try await fixture.gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return { try await fixture.gateway.signInWithEmailLink("ada@example.com", code) }
        },
        HookedWay("email link: link to an anonymous account", signIn, "emailLink") { fixture in
            let guest = try await fixture.gateway.signUpAnonymously()
            let code = try await fixture.gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return {
                try await fixture.gateway.signInWithEmailLink(
                    "ada@example.com", code, ["idToken": .string(guest.idToken)])
            }
        },
        HookedWay("provider: new account", both, "google.com") { fixture in
            let credential = try fixture.gateway.googleCredential()
            return { try await fixture.gateway.signIn(credential) }
        },
        HookedWay("provider: returning identity", signIn, "google.com") { fixture in
            #expect(try await fixture.gateway.signIn(fixture.gateway.googleCredential()).status == 200)
            let credential = try fixture.gateway.googleCredential()
            return { try await fixture.gateway.signIn(credential) }
        },
        HookedWay("provider: a credential that signs in once", both, "apple.com") { fixture in
            let credential = try fixture.gateway.appleCredential()
            return { try await fixture.gateway.signIn(credential) }
        },
        HookedWay("provider: upgrade of an anonymous account", signIn, "google.com") { fixture in
            let guest = try await fixture.gateway.signUpAnonymously()
            let credential = try fixture.gateway.googleCredential()
            return { try await fixture.gateway.link(credential, to: guest.idToken) }
        },
        HookedWay("provider: reclaim", signIn, "apple.com") { fixture in
            let credential = try fixture.gateway.appleCredential()
            let email = try #require(try claims(of: credential.idToken)["email"]?.string)
            _ = try await fixture.gateway.signUp(email: email)
            return { try await fixture.gateway.signIn(credential) }
        },
        HookedWay("telephone: new account", both, "phone") { fixture in
            let proof = try await fixture.gateway.phoneProof("+16135550100")
            return { try await fixture.gateway.signInWithPhoneNumber(proof) }
        },
        HookedWay("telephone: existing account", signIn, "phone") { fixture in
            #expect(try await fixture.gateway.signIn(phoneNumber: "+16135550100").status == 200)
            let proof = try await fixture.gateway.phoneProof("+16135550100")
            return { try await fixture.gateway.signInWithPhoneNumber(proof) }
        },
        HookedWay("telephone: link", signIn, "phone") { fixture in
            let ada = try await fixture.gateway.signUp()
            let proof = try await fixture.gateway.phoneProof("+16135550100")
            return { try await fixture.gateway.signInWithPhoneNumber(proof, ["idToken": .string(ada.idToken)]) }
        },
        HookedWay("passkey: sign-up", both, "passkey") { fixture in
            var device = try TestPasskey()
            let started = try await fixture.gateway.post(
                "/v2/accounts/passkeySignUp:start", ["email": "ada@example.com"])
            let response = try device.register(started)
            return {
                try await fixture.gateway.post(
                    "/v2/accounts/passkeySignUp:finalize",
                    ["authenticatorRegistrationResponse": response, "email": "ada@example.com"])
            }
        },
        HookedWay("passkey: sign-in", signIn, "passkey") { fixture in
            var ada = try await fixture.gateway.enrolPasskey(fixture.gateway.signUpVerified())
            let response = try ada.device.sign(await fixture.gateway.startPasskeySignIn())
            return { try await fixture.gateway.finalizePasskeySignIn(response) }
        },
        HookedWay("second factor: one-time password", signIn, "password") { fixture in
            let ada = try await fixture.gateway.signUpEnrolled()
            let first = try await fixture.gateway.signIn()
            let code = try ada.app.code(at: fixture.gateway.clock.now)
            return { try await fixture.gateway.finalizeSignIn(first, ada.factor, code) }
        },
        HookedWay("text message as second factor", signIn, "password") { fixture in
            _ = try await fixture.gateway.enrolled("+16135550100", fixture.gateway.signUpVerified())
            let first = try await fixture.gateway.signIn()
            let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"], "\(first.text)")
            let started = try await fixture.gateway.startSecondFactor(first, factor)
            let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string, "\(started.text)")
            let code = try #require(fixture.gateway.code(of: sessionInfo))
            return { try await fixture.gateway.finalizeSignIn(first, sessionInfo, code: code) }
        },
        HookedWay("second factor after a provider", signIn, "google.com") { fixture in
            let signedIn = try TestGateway.Tokens(await fixture.gateway.signIn(fixture.gateway.googleCredential()))
            let mary = try await fixture.gateway.enrol(signedIn)
            let first = try await fixture.gateway.signIn(fixture.gateway.googleCredential())
            let code = try mary.app.code(at: fixture.gateway.clock.now)
            return { try await fixture.gateway.finalizeSignIn(first, mary.factor, code) }
        },
        HookedWay("second factor after an email link", signIn, "emailLink") { fixture in
            let ada = try await fixture.gateway.signUpEnrolled()
            let link = try await fixture.gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            let first = try await fixture.gateway.signInWithEmailLink("ada@example.com", link)
            let code = try ada.app.code(at: fixture.gateway.clock.now)
            return { try await fixture.gateway.finalizeSignIn(first, ada.factor, code) }
        },
    ]

    static let notAsked: [HookedWay] = [
        HookedWay("anonymous sign-up") { fixture in { try await fixture.gateway.post("/v1/accounts:signUp") } },
        HookedWay("custom token") { fixture in
            let token = try fixture.key.customToken(at: fixture.gateway.clock.now)
            return { try await fixture.gateway.signIn(customToken: token) }
        },
        HookedWay("refresh") { fixture in
            let ada = try await fixture.gateway.signUp()
            return { try await fixture.gateway.refresh(ada.refreshToken) }
        },
        HookedWay("sign-up of a caller") { fixture in
            let guest = try await fixture.gateway.signUpAnonymously()
            return {
                try await fixture.gateway.post(
                    "/v1/accounts:signUp",
                    ["idToken": .string(guest.idToken), "email": "ada@example.com", "password": "secret1"])
            }
        },
        HookedWay("the first factor of an enrolled account") { fixture in
            _ = try await fixture.gateway.signUpEnrolled()
            return { try await fixture.gateway.signIn() }
        },
        HookedWay("a backend creates an account") { fixture in
            {
                try await fixture.gateway.post(
                    "/v1/projects/demo/accounts", ["email": "ada@example.com"], key: nil,
                    headers: ["Authorization": "Bearer \(fixture.key.secret)"])
            }
        },
        HookedWay("merge") { fixture in
            let target = try TestGateway.Tokens(await fixture.gateway.signIn(fixture.gateway.googleCredential()))
            let guest = try await fixture.gateway.signUpAnonymously()
            return { try await fixture.merge(guest, into: target) }
        },
        HookedWay("a new password") { fixture in
            let ada = try await fixture.gateway.signUp()
            return { try await fixture.gateway.update(ada.idToken, ["password": "another1"]) }
        },
    ]
}
