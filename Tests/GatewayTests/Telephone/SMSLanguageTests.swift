import HTTP
import Identity
import Storage
import Testing
import Tokens

@testable import Gateway
@testable import Support

@Suite("The language of text messages")
struct SMSLanguageTests {
    private static let number = "+15555550100"

    /// A request for a code that concerns an account.
    enum Occasion: CaseIterable, Sendable {
        case signIn, enrolment, secondFactor, accountPage
    }

    /// Requests a code, for the account of Ada.
    private static func request(_ occasion: Occasion, _ gateway: TestGateway, _ fields: [(String, String)])
        async throws
    {
        let headers = Headers(fields.map { (name: $0.0, value: $0.1) })
        let ada = try await gateway.signUpVerified()
        func set(_ tokens: TestGateway.Tokens) async throws {
            #expect(try await gateway.update(tokens.idToken, ["language": "fr"]).status == 200)
        }
        let number = JSON.string(Self.number)
        switch occasion {
        case .signIn:
            try await set(ada)
            try await gateway.setPhoneNumber(Self.number, of: ada.localId, provenAt: gateway.clock.now)
            let sent = try await gateway.post(
                "/v1/accounts:sendVerificationCode", ["phoneNumber": number], headers: headers)
            #expect(sent.outcome == "200")
        case .enrolment:
            try await set(ada)
            let body: JSON = ["idToken": .string(ada.idToken), "phoneEnrollmentInfo": ["phoneNumber": number]]
            let started = try await gateway.post("/v2/accounts/mfaEnrollment:start", body, headers: headers)
            #expect(started.outcome == "200", "\(started.text)")
        case .secondFactor:
            try await set(gateway.enrolled(Self.number, ada))
            // Ada enrolled the number with a message of her own.
            _ = try await messages(gateway)
            gateway.clock.advance(by: .seconds(60))
            let first = try await gateway.signIn()
            let body: JSON = [
                "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                "mfaEnrollmentId": first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
            ]
            let started = try await gateway.post("/v2/accounts/mfaSignIn:start", body, headers: headers)
            #expect(started.outcome == "200", "\(started.text)")
        case .accountPage:
            try await set(ada)
            let browser = try await AccountBrowser(gateway, ada)
            let page = try await browser.submit(
                "phone", step: "sendCode", [("phone", Self.number)],
                headers: AccountBrowser.ownForm + fields)
            #expect(page.status == 200, "\(page.text)")
        }
    }

    /// Takes the messages from the queue.
    private static func messages(_ gateway: TestGateway) async throws -> [SMSContent] {
        let claimed = try await PostgresSMSQueue(pool: gateway.database.pool)
            .claim(limit: 10, lease: .seconds(600), at: gateway.clock.now)
        return try claimed.map { try PhoneCodeSecrets.opening(under: gateway.masterKeys)($0.content, $0.id) }
    }

    @Test(
        "A message has the language that the app requests for messages, else the account's",
        arguments: Occasion.allCases, [false, true])
    func account(occasion: Occasion, isRequested: Bool) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let headers = [("Accept-Language", "de")] + (isRequested ? [("X-Firebase-Locale", "ja")] : [])
        try await Self.request(occasion, gateway, headers)
        let message = try #require(try await Self.messages(gateway).last)
        #expect(message.locale == (isRequested ? "ja" : "fr"))
        #expect(message.text.contains(isRequested ? "認証コード" : "code de vérification"))
    }

    @Test("With email enumeration protection, no account is looked up, and the request decides")
    func withoutLookup() async throws {
        let gateway = try await TestGateway.withPhoneNumbers { $0.emailEnumerationProtection = true }
        try await Self.request(.signIn, gateway, [("Accept-Language", "de")])
        #expect(try await Self.messages(gateway).map(\.locale) == ["de"])
    }

    @Test("A number that an operator may have given to another user says nothing about its former owner")
    func recycledNumber() async throws {
        let gateway = try await TestGateway.withPhoneNumbers { $0.recycledNumberAge = .seconds(90 * 86_400) }
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.update(ada.idToken, ["language": "fr"])
        try await gateway.setPhoneNumber(
            Self.number, of: ada.localId, provenAt: gateway.clock.now - .seconds(400 * 86_400))
        let sent = try await gateway.post(
            "/v1/accounts:sendVerificationCode", ["phoneNumber": .string(Self.number)],
            headers: ["Accept-Language": "de"])
        #expect(sent.outcome == "200")
        #expect(try await Self.messages(gateway).map(\.locale) == ["de"])
    }
}
