/// A login that accepts every user who has an account at a well-known company. It can be neither the account system of
/// the project's own company, nor that of a school, an employer, a government or a marketplace.
///
/// The list contains the logins whose tokens a generic OpenID provider could accept. It cannot be complete, so the
/// report for App Review names every provider with the relation `own`.
struct PublicLogin: Hashable, Sendable {
    let name: String
    /// The registrable domains of the issuers. Their subdomains belong to the login too.
    let domains: [String]

    private init(_ name: String, _ domains: String...) {
        self.name = name
        self.domains = domains
    }

    private static let all = [
        PublicLogin("Amazon", "amazon.com"),
        PublicLogin("Apple", "apple.com"),
        PublicLogin("Battle.net", "battle.net"),
        PublicLogin("Discord", "discord.com", "discordapp.com"),
        PublicLogin("Facebook", "facebook.com"),
        PublicLogin("GitHub", "github.com"),
        PublicLogin("GitLab", "gitlab.com"),
        // Includes Firebase, whose issuers are at securetoken.google.com and session.firebase.google.com.
        PublicLogin("Google", "google.com"),
        PublicLogin("Kakao", "kakao.com"),
        PublicLogin("LINE", "line.me"),
        PublicLogin("LinkedIn", "linkedin.com"),
        PublicLogin("Naver", "naver.com"),
        PublicLogin("PayPal", "paypal.com"),
        PublicLogin("Slack", "slack.com"),
        PublicLogin("Spotify", "spotify.com"),
        PublicLogin("TikTok", "tiktok.com"),
        PublicLogin("Twitch", "twitch.tv"),
        PublicLogin("VK", "vk.com"),
        PublicLogin("X", "twitter.com", "x.com"),
        PublicLogin("Yahoo", "yahoo.com"),
        PublicLogin("Yahoo! JAPAN", "yahoo.co.jp"),
        microsoft,
    ]

    /// Microsoft's personal accounts, and its issuers that accept the accounts of every organisation.
    private static let microsoft = PublicLogin(
        "Microsoft", "live.com", "microsoft.com", "microsoftonline.com", "sts.windows.net")
    /// Hosts of Microsoft at which a path can name the tenant of one organisation.
    private static let microsoftTenantHosts = ["login.microsoftonline.com", "sts.windows.net"]
    /// The tenant of personal accounts.
    private static let microsoftConsumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// - Returns: `nil` if the issuer is none of the list, or is that of one organisation at Microsoft.
    init?(issuer: String) {
        let (host, path) = Self.split(issuer)
        guard
            let login = Self.all.first(where: { login in
                login.domains.contains { host == $0 || host.hasSuffix($0) && host.dropLast($0.count).last == "." }
            })
        else { return nil }
        let isOrganisation = Self.microsoftTenantHosts.contains(host) && path.first.map(Self.isOrganisation) == true
        guard !isOrganisation else { return nil }
        self = login
    }

    /// Whether an issuer is that of Apple or Google, which are not generic OpenID providers. Compares only the host,
    /// because an issuer with another path would be the same provider.
    static func isBuiltIn(issuer: String) -> Bool {
        ["appleid.apple.com", "accounts.google.com"].contains(split(issuer).host)
    }

    /// Returns the host of a URL in lower case, without its port and without a dot at its end, and the parts of the
    /// path.
    private static func split(_ issuer: String) -> (host: String, path: ArraySlice<Substring>) {
        let parts = issuer.lowercased().split(separator: "/")
        let authority = parts.dropFirst().first ?? ""
        let host = authority.prefix { $0 != ":" }
        return (String(host.hasSuffix(".") ? host.dropLast() : host), parts.dropFirst(2))
    }

    /// Whether `tenant` is the ID of an organisation's tenant, as the issuer of every token of Microsoft names it.
    private static func isOrganisation(_ tenant: Substring) -> Bool {
        let groups = tenant.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(\.isHexDigit)
            && tenant != microsoftConsumers
    }
}
