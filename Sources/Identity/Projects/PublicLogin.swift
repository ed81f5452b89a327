internal import Encoding

/// A login that accepts every user who has an account at a well-known company. It can be neither the account system of
/// the project's own company, nor that of a school, an employer, a government or a marketplace.
///
/// The list contains the logins whose tokens a generic OpenID provider could accept, except those of
/// ``SupportedProviders``. It cannot be complete, so the report for App Review names every provider with the relation
/// `own`.
struct PublicLogin: Hashable, Sendable {
    let name: String
    /// The domains of the issuers. Their subdomains belong to the login too.
    let domains: [String]

    private init(_ name: String, _ domains: String...) {
        self.name = name
        self.domains = domains
    }

    private init(_ provider: Provider) {
        name = provider.displayName
        domains = provider.issuerDomains
    }

    private static let all = [
        PublicLogin("Adobe", "adobe.com", "adobelogin.com"),
        PublicLogin("Amazon", "amazon.com"),
        PublicLogin("Atlassian", "atlassian.com"),
        PublicLogin("Autodesk", "autodesk.com"),
        PublicLogin("Battle.net", "battle.net"),
        PublicLogin("Bluesky", "bsky.network", "bsky.social"),
        PublicLogin("Coinbase", "coinbase.com"),
        PublicLogin("Discord", "discord.com", "discordapp.com"),
        PublicLogin("Docker", "login.docker.com"),
        PublicLogin("Dropbox", "dropbox.com"),
        PublicLogin("Epic Games", "epicgames.com", "epicgames.dev"),
        PublicLogin("Facebook", "facebook.com"),
        PublicLogin("GitHub", "github.com"),
        PublicLogin("GitLab", "gitlab.com"),
        PublicLogin("Huawei", "huawei.com"),
        PublicLogin("Intuit", "intuit.com"),
        PublicLogin("Kakao", "kakao.com"),
        PublicLogin("Klarna", "klarna.com"),
        PublicLogin("LEGO", "identity.lego.com"),
        PublicLogin("LINE", "line.me"),
        PublicLogin("LinkedIn", "linkedin.com"),
        PublicLogin("Mail.ru", "mail.ru"),
        PublicLogin("mixi", "mixi.com", "mixi.jp"),
        PublicLogin("Money Forward", "id.moneyforward.com"),
        PublicLogin("Naver", "naver.com"),
        PublicLogin("PayPal", "paypal.com", "paypalobjects.com"),
        PublicLogin("Rakuten", "account.rakuten.com", "id.rakuten.co.jp"),
        PublicLogin("Recruit", "point.recruit.co.jp"),
        PublicLogin("Roblox", "roblox.com"),
        // The domains of organisations at Salesforce, such as acme.my.salesforce.com, are not public.
        PublicLogin("Salesforce", "login.salesforce.com", "test.salesforce.com"),
        PublicLogin("Samsung", "account.samsung.com"),
        // The logins of shops, whose issuers are below shopify.com, are not public.
        PublicLogin("Shopify", "accounts.shopify.com"),
        PublicLogin("Slack", "slack.com"),
        PublicLogin("Spotify", "spotify.com"),
        PublicLogin("Steam", "steamcommunity.com", "steampowered.com"),
        PublicLogin("Telegram", "telegram.org"),
        PublicLogin("TikTok", "tiktok.com"),
        PublicLogin("Twitch", "twitch.tv"),
        PublicLogin("VK", "vk.com", "vk.ru"),
        PublicLogin("Wikimedia", "wikimedia.org"),
        PublicLogin("X", "twitter.com", "x.com"),
        PublicLogin("Xero", "xero.com"),
        PublicLogin("Yahoo", "yahoo.com"),
        PublicLogin("Yahoo! JAPAN", "yahoo.co.jp"),
        PublicLogin("Yandex", "yandex.com", "yandex.ru"),
        PublicLogin("Zoom", "zoom.us"),
        microsoft,
    ]

    /// Microsoft's personal accounts, and its issuers that accept the accounts of every organisation.
    private static let microsoft = PublicLogin(
        "Microsoft", "live.com", "microsoft.com", "microsoftonline.com", "sts.windows.net")
    /// Hosts of Microsoft at which a path can name the tenant of one organisation.
    private static let microsoftTenantHosts = ["login.microsoftonline.com", "sts.windows.net"]
    /// The tenant of personal accounts.
    private static let microsoftConsumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// - Parameter providers: the built-in providers, each of which is a public login too.
    /// - Returns: `nil` if the issuer is that of no public login, or is that of one organisation at Microsoft.
    init?(issuer: String, besides providers: SupportedProviders) {
        guard let address = IssuerAddress(issuer) else { return nil }
        let host = address.host
        guard
            let login = Self.all.first(where: { $0.contains(host) })
                ?? providers.all.lazy.map({ PublicLogin($0) }).first(where: { $0.contains(host) })
        else { return nil }
        let isOrganisation =
            Self.microsoftTenantHosts.contains(host) && address.path.first.map(Self.isOrganisation) == true
        guard !isOrganisation else { return nil }
        self = login
    }

    private func contains(_ host: String) -> Bool {
        domains.contains { host == $0 || host.endsExactly(with: "." + $0) }
    }

    /// Whether `tenant` is the ID of an organisation's tenant, as the issuer of every token of Microsoft names it.
    private static func isOrganisation(_ tenant: String) -> Bool {
        let groups = tenant.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(\.isHexDigit)
            && tenant != microsoftConsumers
    }
}
