import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("The console's screen of an account", .serialized)
struct ConsoleAccountTests {
    private let fixture: ConsoleFixture
    private let owner: ConsoleVisitor
    private let backend: ServiceKey

    init() async throws {
        fixture = try await ConsoleFixture()
        backend = try await ServiceKey(id: "setup", in: fixture.gateway)
        owner = try await fixture.signIn(as: "owner")
        for (id, email) in [("bob", "bob@example.com"), ("eve", "eve@example.com")] {
            let account: JSON = ["localId": .string(id), "email": .string(email)]
            _ = try await send("accounts", account)
        }
    }

    private func send(_ path: String, _ body: JSON) async throws -> Exchange {
        let answer = try await fixture.gateway.send(.post, "/v1/projects/demo/\(path)", body, by: backend)
        #expect(answer.outcome == "200", "\(answer.text)")
        return answer
    }

    private func path(_ id: String) -> String { "/console/demo/accounts/account?id=\(id)" }

    @Test("A merge is previewed by the address of the other account, in words, and then committed")
    func merge() async throws {
        _ = try await send("accounts:update", ["localId": "eve", "displayName": "Eve", "phoneNumber": "+15551234567"])
        let page = try await owner.open(path("bob"))
        #expect(page.form("merge") == nil, "only the preview has it")
        let unknown = try await owner.submit(page, "merge-preview", ["sourceLocalId": "nobody@example.com"])
        #expect(unknown.status == 400 && unknown.text.contains("No account here has this ID or email address."))
        let preview = try await owner.submit(page, "merge-preview", ["sourceLocalId": " eve@example.com "])
        for text in ["<dt>Is deleted</dt>", "eve@example.com", "<dt>Remains</dt>", "bob@example.com"] {
            #expect(preview.text.contains(text), "\(text) in \(preview.text)")
        }
        #expect(preview.text.contains("the telephone number +15551234567"), "\(preview.text)")
        #expect(try await owner.submit(preview, "merge").status == 303)
        #expect(try await owner.open(path("eve")).status == 404)
        let byID = try await owner.submit(try await owner.open(path("bob")), "merge-preview", ["sourceLocalId": "eve"])
        #expect(byID.status == 400, "\(byID.text)")
    }

    @Test("To unlink Apple, the form says what else ends, and a refusal names the box")
    func unlink() async throws {
        let relay = "abc@privaterelay.appleid.com"
        let identity: JSON = ["providerId": "apple.com", "rawId": "001234.abcd", "email": .string(relay)]
        let account: JSON = ["localId": "carol", "email": .string(relay), "providerUserInfo": [identity]]
        _ = try await send("accounts:batchCreate", ["users": [account]])
        let page = try await owner.open(path("carol"))
        #expect(page.text.contains("This also revokes the app") && page.text.contains("tokens at Apple"))
        #expect(page.text.contains("The account also loses its address"))
        let refused = try await owner.submit(page, "unlink-apple.com")
        #expect(refused.status == 400, "\(refused.text)")
        #expect(refused.text.contains("Tick the box \u{201C}Unlink it even if no way to sign in remains\u{201D}"))
        #expect(!refused.text.contains("Set allowNoSignInMethod"))
    }

    @Test("An account with many identities has several pages of at most 40 KiB, and an unlinked one stays on its page")
    func manyIdentities() async throws {
        let providers = (10..<22).map { "oidc.provider\($0)" }
        let identities = providers.map { provider -> JSON in
            ["providerId": .string(provider), "rawId": "a1", "email": "dora@example.com"]
        }
        let account: JSON = ["localId": "dora", "email": "dora@example.com", "providerUserInfo": .array(identities)]
        _ = try await send("accounts:batchCreate", ["users": [account]])
        var (found, paths): ([String], [String]) = ([], [])
        var next: String? = path("dora")
        while let path = next {
            let page = try await owner.open(path)
            #expect(page.status == 200 && page.text.utf8.count <= 40 * 1024, "\(page.text.utf8.count)")
            found += page.text.matches(of: #/<form id="unlink-([^"]+)-form"/#).map { String($0.output.1) }
            paths.append(path)
            next = page.text.firstMatch(of: #/<a href="([^"]+)">Next page</a>/#).map {
                String($0.output.1).replacing("&amp;", with: "&")
            }
        }
        #expect(found == providers && paths.count == 3, "\(found)")
        let last = try await owner.open(try #require(paths.last))
        let unlinked = try await owner.submit(
            last, "unlink-\(providers[11])", ["allowNoSignInMethod": "true"])
        #expect(unlinked.status == 303 && unlinked.location?.contains("page=3") == true, "\(unlinked.text)")
    }

    @Test("Second factors and passkeys are listed, and those who may remove them")
    func factors() async throws {
        let path = "/console/other/accounts/account?id=\(owner.id)"
        let page = try await owner.open(path)
        #expect(page.text.contains("authenticator app") && page.form("factors") != nil, "\(page.text)")
        let support = try await fixture.signIn("carol@example.com", as: "support")
        let limited = try await support.open(path)
        #expect(limited.text.contains("authenticator app") && limited.form("factors") == nil)
        let other = "/console/other/accounts/account?id=\(support.id)"
        let removed = try await owner.submit(try await owner.open(other), "factors", ["confirmed": "true"])
        #expect(removed.status == 303, "\(removed.text)")
        let rest = try await owner.open(other).text
        #expect(rest.contains("The account has neither a passkey nor a second factor."))
    }

    @Test("The telephone number is among the methods, and the audit trail names and links the account")
    func audit() async throws {
        _ = try await send("accounts:update", ["localId": "bob", "phoneNumber": "+15557654321"])
        let page = try await owner.open(path("bob"))
        #expect(page.text.contains("The account signs in with the telephone number +15557654321."))
        let trail = try await owner.open("/console/demo/audit").text
        #expect(trail.contains("href=\"/console/demo/accounts/account?id=bob\""), "\(trail)")
    }
}
