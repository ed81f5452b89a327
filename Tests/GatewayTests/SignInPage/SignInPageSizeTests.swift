import HTTP
import Identity
import Simulators
import Testing

@testable import Support

/// A page of the sign-in has at most 15 KB of HTML with its styles, also in the languages with the longest texts, with
/// a brand and passkeys.
@Suite("The size of the pages of a sign-in")
struct SignInPageSizeTests {
    static let languages = ["en", "ja", "ar", "fr"]
    private static let limit = 15 * 1024
    /// Of 89 characters.
    private static let longAddress = "\(String(repeating: "a", count: 60))@\(String(repeating: "b", count: 20)).example"

    /// The parameters of an app: `state` has 32 bytes, and the URL 42 characters.
    private static let usual = [
        "state": String(repeating: "x", count: 43),
        "continueUri": "https://localhost/" + String(repeating: "d", count: 24),
    ]
    private static let wrong = ["email": "ada@example.com", "password": "wrong"]

    /// A gateway with every method, a brand, its links and passkeys.
    private static func gateway(_ plain: TestGateway) async throws -> TestGateway {
        let gateway = try await plain.acceptingPasskeysOnPages()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let branded = try await configurator.send(.patch, "config", ["brand": BrandConfigTests.brand], mask: "brand")
        #expect(branded.outcome == "200")
        return try gateway.withFreshCaches()
    }

    private static func visit() async throws -> SignInPageVisit {
        SignInPageVisit(try await gateway(try await .withAppleGoogleAndOpenID(#""platform": "web""#)))
    }

    private static func expectSmall(_ page: Exchange, _ name: String) {
        #expect(page.text.utf8.count <= limit, "\(name): \(page.text.utf8.count)")
    }

    @Test("Each screen, with every method", arguments: languages)
    func screens(language: String) async throws {
        let visit = try await Self.visit()
        for screen in ["signIn", "signUp", "reset", "emailCode"] {
            let page = try await visit.open(Self.usual.merging(["screen": screen, "hl": language]) { $1 })
            #expect(page.status == 200)
            Self.expectSmall(page, screen)
            guard screen == "signIn" else { continue }
            Self.expectSmall(try await visit.submit(page, "signIn", Self.wrong), "wrong password")
        }
    }

    @Test("The first screen for a guest, and for a user who authenticates again", arguments: languages)
    func signedInUsers(language: String) async throws {
        let visit = try await Self.visit()
        for (operation, user) in [
            ("LINK", try await visit.gateway.signUpAnonymously()), ("REAUTHENTICATE", try await visit.gateway.signUp()),
        ] {
            let page = try await visit.openURI([
                "operation": .string(operation), "idToken": .string(user.idToken), "hl": .string(language),
                "continueUri": .string(Self.usual["continueUri"] ?? ""), "state": .string(Self.usual["state"] ?? ""),
            ])
            #expect(page.text.contains("data-passkey") == (operation == "LINK"))
            Self.expectSmall(page, operation)
            Self.expectSmall(try await visit.submit(page, "signIn", Self.wrong), "wrong password, \(operation)")
        }
    }

    @Test("The first screen with four remembered accounts and the longest `state` of an app", arguments: languages)
    func rememberedAccounts(language: String) async throws {
        let visit = try await Self.visit()
        for email in ["one@example.com", "two@example.com"] {
            _ = try await visit.gateway.signUp(email: email)
            let fields = ["email": email, "password": "secret1", "remember": "on"]
            let done = try await visit.submit(visit.open(["prompt": "login"]), "signIn", fields)
            #expect(done.result != nil, "\(done.text)")
        }
        for (person, provider) in [(SimulatedPerson.mary, "apple.com"), (.grace, "google.com")] {
            let page = try await visit.follow(visit.submit(visit.open(["prompt": "login"]), "remember"))
            #expect(try await visit.signIn(person, with: provider, on: page).result != nil)
        }
        let page = try await visit.open(["prompt": "login", "state": LongStateTests.state, "hl": language])
        #expect(page.text.matches(of: #/<p class="note"><bdi>/#).count == 2, "\(page.text)")
        Self.expectSmall(page, "remembered")
        let list = try await visit.show("accounts", after: page)
        #expect(list.text.matches(of: #/form="forget" name="account"/#).count == 4, "\(list.text)")
        Self.expectSmall(list, "list")
    }

    @Test("The page that adds a second factor to an account with a long address", arguments: languages)
    func enrolment(language: String) async throws {
        let visit = SignInPageVisit(try await Self.gateway(try await .withSecondFactors(.mandatory)))
        _ = try await visit.gateway.signUpVerified(email: Self.longAddress)
        let start = try await visit.open(["prompt": "login", "hl": language, "state": LongStateTests.state])
        let fields = ["email": Self.longAddress, "password": "secret1"]
        let page = try await visit.follow(visit.submit(start, "signIn", fields))
        #expect(page.text.contains("<svg") && page.text.contains("data-passkey"), "\(page.text)")
        Self.expectSmall(page, "enrolment")
        Self.expectSmall(try await visit.submit(page, "enrolFactor", ["code": "000000"]), "wrong code")
    }
}
