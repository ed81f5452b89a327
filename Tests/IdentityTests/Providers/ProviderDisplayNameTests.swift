import Identity
import Testing

@Suite("Names of providers")
struct ProviderDisplayNameTests {
    static let book = Provider(
        id: ProviderID("book.example"), displayName: "Book", issuers: ["https://book.example"],
        issuerDomains: ["book.example"])

    static let realm: Realm = {
        let project = Project(
            id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: SupportedProviders([book]))
        let issuer = "https://login.example.com"
        return Realm(
            project, policy: Policy(.sekisho),
            providers: ([("oidc.corp", "Corp"), ("oidc.plain", nil)] as [(String, String?)]).map { id, name in
                ProviderSettings(
                    provider: ProviderID(id), isEnabled: true, clientIDs: ["client"],
                    openID: OpenIDSettings(issuer: issuer, displayName: name))
            })
    }()

    @Test(
        "A built-in provider has its own name, and an OpenID Connect provider the operator's",
        arguments: [
            ("book.example", "Book"), ("oidc.corp", "Corp"), ("oidc.plain", nil), ("password", nil),
        ] as [(String, String?)])
    func names(provider: String, name: String?) {
        #expect(Self.realm.displayName(of: ProviderID(provider)) == name)
    }
}
