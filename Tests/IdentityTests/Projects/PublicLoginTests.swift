import Identity
import Testing

@Suite("Logins of well-known companies")
struct PublicLoginTests {
    private static let corp = ProviderID("oidc.corp")

    private static func provider(_ issuer: String, _ relation: ProviderRelation) -> ProviderSettings {
        ProviderSettings(
            provider: corp, isEnabled: true, clientIDs: ["c"], openID: OpenIDSettings(issuer: issuer),
            statedRelation: relation, relationReason: "our own accounts")
    }

    private static let publicIssuers = [
        "https://www.facebook.com", "https://facebook.com", "https://limited.facebook.com",
        "https://securetoken.google.com/their-project", "https://session.firebase.google.com/their-project",
        "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
        "https://login.microsoftonline.com/9188040D-6C67-4C5B-B112-36A304B66DAD/v2.0",
        "https://login.microsoftonline.com/common/v2.0", "https://login.microsoftonline.com/consumers/v2.0",
        "https://login.microsoftonline.com/organizations/v2.0", "https://login.microsoftonline.com",
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0",
        "https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/", "https://login.live.com",
        "https://login.live.com/11111111-2222-3333-4444-555555555555",
        "https://access.line.me", "https://github.com/login/oauth", "https://gitlab.com", "https://discord.com",
        "https://api.login.yahoo.com", "https://auth.login.yahoo.co.jp/yconnect/v2", "https://kauth.kakao.com",
        "https://www.linkedin.com/oauth", "https://x.com", "https://api.twitter.com", "https://id.twitch.tv/oauth2",
        "https://slack.com", "https://www.amazon.com", "https://www.paypal.com", "https://oauth.battle.net",
        "https://oauth.telegram.org", "https://www.dropbox.com", "https://apis.roblox.com/oauth/",
        "https://login.salesforce.com", "https://test.salesforce.com", "https://login.yandex.ru",
        "https://account.samsung.com", "https://bsky.social", "https://login.docker.com/", "https://login.klarna.com",
        "https://login.account.rakuten.com", "https://accounts.shopify.com", "https://auth.atlassian.com",
        "https://www.paypalobjects.com", "https://api.epicgames.dev/epic/oauth/v1",
        // The same host in other spellings.
        "https://WWW.Facebook.COM", "https://www.facebook.com.", "https://www.facebook.com:443/x",
        "https://www.facebook.com.:443",
    ]

    @Test(
        "A public login cannot be the login of a company, organisation, government or marketplace",
        arguments: publicIssuers)
    func refused(issuer: String) {
        for relation in [ProviderRelation.own, .organisation, .government, .marketplace] {
            let settings = Self.provider(issuer, relation)
            #expect(
                ConfigurationTests.valid.realm.relation(of: settings) == .social,
                "a relation that was stored before the rule has no effect")
            var configuration = ConfigurationTests.valid
            configuration.apps[0].app.settings.signInMethods = [.apple]
            configuration.set(settings)
            let problems = configuration.problems(by: ConfigurationTests.rules)
            #expect(problems.count == 1)
            guard case .relationOfPublicLogin(Self.corp, login: _)? = problems.first else {
                Issue.record("\(relation): \(problems)")
                continue
            }
        }
    }

    @Test(
        "An issuer that no provider can have is refused, and its relation has no effect",
        arguments: [
            "https://www.facebook.com..", "https://www.facebook.com..:443/x", "https://user@www.facebook.com",
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/../consumers/v2.0",
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/%2E%2e/consumers/v2.0",
        ])
    func invalid(issuer: String) {
        let settings = Self.provider(issuer, .own)
        #expect(ConfigurationTests.valid.realm.relation(of: settings) == .social)
        var configuration = ConfigurationTests.valid
        configuration.apps[0].app.settings.signInMethods = [.apple]
        configuration.set(settings)
        #expect(configuration.problems(by: ConfigurationTests.rules).contains(.issuer(Self.corp)))
    }

    @Test("A public login can be social, or the service whose client the app is", arguments: publicIssuers)
    func accepted(issuer: String) {
        for relation in [ProviderRelation.social, .thirdPartyService] {
            #expect(ConfigurationTests.valid.realm.relation(of: Self.provider(issuer, relation)) == relation)
        }
    }

    @Test(
        "Another issuer can have every relation",
        arguments: [
            "https://id.example.com", "https://facebook.com.example.com", "https://notfacebook.com",
            "https://example.com/www.facebook.com", "https://face-book.com", "https://ex.com",
            "https://line.me.example",
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
            "https://sts.windows.net/11111111-2222-3333-4444-55555555555a/",
            "https://acme.okta.com", "https://acme.ghe.com", "https://acme.my.salesforce.com",
            "https://acme--dev.sandbox.my.salesforce.com", "https://shopify.com/authentication/1234",
        ])
    func others(issuer: String) {
        for relation in ProviderRelation.allCases {
            #expect(ConfigurationTests.valid.realm.relation(of: Self.provider(issuer, relation)) == relation)
        }
    }
}
