import Encoding
import Identity
import Testing

@Suite("The report for App Review")
struct AppReviewTests {
    /// Reviews an iOS app. Apple's tokens cannot be revoked, because no authorization code was redeemed.
    private static func review(
        _ apple: LoginServicesTests.Apple, showsGoogle: Bool, exemption: LoginServicesExemption.Kind? = nil
    ) -> AppReview {
        let row = LoginServicesTests.Row(platform: .ios, showsGoogle: showsGoogle, apple: apple, exemption: exemption)
        return AppReview(of: row.app, in: row.realm, clientIDsWithRedeemedCodes: [])
    }

    @Test(
        "If Apple's tokens can be revoked, the report fails exactly the apps that violate guideline 4.8",
        arguments: LoginServicesTests.rows)
    func violations(row: LoginServicesTests.Row) {
        let clientIDs = row.realm.settings(of: .apple)?.clientIDs ?? []
        // The tokens of a client ID can be revoked if an authorization code was redeemed for it.
        let review = AppReview(
            of: row.app, in: row.realm, clientIDsWithRedeemedCodes: Set(clientIDs.map { ByteText($0) }))
        let violated = review.points.filter { $0.status == .violated }
        #expect(violated.map(\.guideline) == row.expected.map { _ in "4.8" })
        #expect(review.passes == row.expected.isEmpty)
    }

    @Test("The report contains the reason of a valid exemption")
    func exemption() throws {
        let point = try #require(Self.review(.missing, showsGoogle: true, exemption: .thirdPartyClient).points.first)
        #expect(point.status == .met)
        #expect(point.text == "exempt as thirdPartyClient, because: because")
    }

    @Test("The report states the actor and the time of an exemption's declaration")
    func declaration() throws {
        var app = LoginServicesTests.Row(platform: .ios, showsGoogle: true, apple: .missing, exemption: nil).app
        app.settings.exemption = LoginServicesExemption(
            kind: .thirdPartyClient, reason: "because",
            declaration: .init(actor: "cli", declaredAt: Instant(seconds: 1_800_000_000)))
        let point = AppReview(of: app, in: .demo(providers: [google()]), clientIDsWithRedeemedCodes: []).points.first
        #expect(
            point?.text == "exempt as thirdPartyClient, declared by cli at 2027-01-15T08:00:00.000Z, because: because")
    }

    @Test("The report names every provider of the company's own accounts, and the operator's reason")
    func ownProvider() {
        let corp = ProviderSettings(
            provider: ConfigurationTests.corp, isEnabled: true, clientIDs: ["c"],
            openID: OpenIDSettings(issuer: "https://id.example.com"), statedRelation: .own,
            relationReason: "accounts of our shop")
        let points = AppReview(of: App(id: ID("app")), in: .demo(providers: [corp]), clientIDsWithRedeemedCodes: [])
            .points.filter { $0.guideline == "4.8" && $0.status == .met }
        #expect(
            points.map(\.text) == [
                "it shows no third-party login, so no equivalent login is required",
                "oidc.corp (https://id.example.com) is declared as your company's own account system, because: accounts of our shop",
            ])
    }

    @Test("The report says that a stored relation has no effect")
    func relationWithoutEffect() {
        let facebook = ProviderSettings(
            provider: ConfigurationTests.corp, isEnabled: true, clientIDs: ["c"],
            openID: OpenIDSettings(issuer: "https://www.facebook.com"), statedRelation: .own,
            relationReason: "accounts of our shop")
        let review = AppReview(
            of: App(id: ID("app")), in: .demo(providers: [facebook]), clientIDsWithRedeemedCodes: [])
        #expect(!review.passes)
        #expect(
            review.points.contains {
                $0.status == .open
                    && $0.text == "the relation of oidc.corp cannot be own, so it is treated as a social login"
            })
    }

    @Test("The report states that the policy limits the rule to apps for Apple's platforms")
    func limitedByPolicy() {
        let realm = Realm.demo(providers: [google()]) { $0.requiresAppleOnEveryPlatform = false }
        func report(_ platform: AppSettings.Platform) -> AppReview {
            AppReview(
                of: App(id: ID("app"), settings: AppSettings(platform: platform)), in: realm,
                clientIDsWithRedeemedCodes: [])
        }
        #expect(
            report(.web).points.first?.text
                == "it shows google.com, but no equivalent login is required: the policy requiresAppleOnEveryPlatform is false, and the app is not for Apple's platforms"
        )
        #expect(report(.web).passes)
        #expect(!report(.ios).passes)
        #expect(!report(.other).passes)
    }

    @Test("The report explains how Sign in with Apple meets each of the guideline's three conditions")
    func conditions() {
        let points = Self.review(.ok, showsGoogle: true).points.filter { $0.guideline == "4.8" }
        #expect(points.map(\.status) == [.met, .met, .met, .met])
        for (point, phrase) in zip(points.dropFirst(), ["limits data collection", "address private", "advertising"]) {
            #expect(point.text.contains(phrase))
        }
    }

    @Test("The report lists undeclared facts, and facts that the gateway cannot check, as open")
    func open() {
        let corp = ProviderSettings(
            provider: ConfigurationTests.corp, isEnabled: true, clientIDs: ["c"],
            openID: OpenIDSettings(issuer: "https://id.example.com"))
        let review = AppReview(
            of: App(id: ID("app")), in: .demo(providers: [appleSettings, corp]), usesCustomTokens: true,
            clientIDsWithRedeemedCodes: Set(appleSettings.clientIDs.map { ByteText($0) }))
        let texts = review.points.filter { $0.guideline == "4.8" && $0.status == .open }.map(\.text)
        #expect(texts.count == 3)
        for phrase in ["platform is not declared", "relation of oidc.corp is not stated", "custom tokens are in use"] {
            #expect(texts.contains { $0.contains(phrase) })
        }
        #expect(review.passes)
    }

    @Test(
        "The report describes the deletion of accounts, and whether Apple's tokens are revoked",
        arguments: [true, false])
    func deletion(canRevoke: Bool) throws {
        let row = LoginServicesTests.Row(platform: .ios, showsGoogle: false, apple: .ok, exemption: nil)
        let clientIDs = row.realm.settings(of: .apple)?.clientIDs ?? []
        let review = AppReview(
            of: row.app, in: row.realm,
            clientIDsWithRedeemedCodes: canRevoke ? Set(clientIDs.map { ByteText($0) }) : ["com.example.other"])
        let points = review.points.filter { $0.guideline == "5.1.1(v)" }
        #expect(points.map(\.status) == [.met, canRevoke ? .met : .violated])
        #expect(points[0].text.contains("accounts:delete"))
        #expect(review.passes == canRevoke)
    }

    @Test("The report does not mention Apple's tokens for an app that does not show Apple")
    func withoutApple() {
        let points = Self.review(.missing, showsGoogle: false).points.filter { $0.guideline == "5.1.1(v)" }
        #expect(points.map(\.status) == [.met])
    }
}
