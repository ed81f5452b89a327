import HTTP
import Testing

@testable import Support

@Suite("The console's screen of administrators", .serialized)
struct AdministratorsScreenTests {
    @Test(
        "A project with many administrators has several pages of at most 40 KiB, and a changed role stays on its page")
    func pages() async throws {
        let fixture = try await ConsoleFixture()
        let visitor = try await fixture.signIn(as: "owner")
        let long = String(repeating: "a", count: 50)
        let addresses = (10..<46).map { "\(long)\($0)@example.com" }
        for address in addresses { #expect(try await fixture.invite(address, "viewer", in: "demo").outcome == "200") }
        var found: [String] = []
        var path: String? = "/console/demo/administrators"
        var last: Exchange?
        while let next = path {
            let page = try await visitor.open(next)
            #expect(page.status == 200 && page.text.utf8.count <= 40 * 1024)
            found += page.text.matches(of: #/<h3>([^<]+@[^<]+)</h3>/#).map { String($0.output.1) }
            path = page.text.firstMatch(of: #/<a href="([^"]+)">Next page</a>/#).map {
                String($0.output.1).replacing("&amp;", with: "&")
            }
            last = page
        }
        #expect(found == addresses, "in the order of the addresses")

        let page = try #require(last)
        let form = try #require(page.text.firstMatch(of: #/<form id="(role-[^"]+)-form"/#)?.output.1)
        let changed = try await visitor.submit(page, String(form), ["role": "support"])
        let location = try #require(changed.headers["Location"])
        #expect(changed.status == 303 && location.contains("page=3"), "\(changed.text)")
        let shown = try await visitor.open(location)
        #expect(shown.text.contains("The role was changed.") && shown.text.contains("id=\"\(form)-form\""))
        let removed = try await visitor.submit(shown, String(form), ["role": "none"])
        let rest = try await visitor.open(try #require(removed.headers["Location"]))
        #expect(rest.text.contains("The role was changed.") && !rest.text.contains("id=\"\(form)-form\""))
        #expect(rest.text.contains(">Previous page</a>") && !rest.text.contains(">Next page</a>"))

        let searched = try await visitor.submit(rest, "search", ["text": "A20@EXAMPLE"])
        let results = try #require(searched.location)
        #expect(!results.contains("@") && !results.contains("%40"), "the URL has the text only encrypted")
        let result = try await visitor.open(results)
        #expect(result.text.contains("\(long)20@example.com") && !result.text.contains("\(long)21@example.com"))
    }

    @Test("The screen says whether a role applies to all projects, and where the other people are listed")
    func scope() async throws {
        let fixture = try await ConsoleFixture()
        let owner = try await fixture.signIn(as: "owner")
        let all = try await owner.open("/console/other/administrators").text
        #expect(all.contains("A role here applies to every project") && all.contains("ada@example.com"))
        #expect(all.contains("Invite a person for all projects"))
        let demo = try await owner.open("/console/demo/administrators").text
        #expect(demo.contains("You act here with your role in all projects."))
        #expect(demo.contains("<a href=\"/console/other/administrators\">People with a role in all projects</a>"))
        let local = try await fixture.signIn("bob@example.com", as: "viewer", in: "demo")
        let limited = try await local.open("/console/demo/administrators")
        #expect(limited.text.contains("They are not listed here.") && limited.form("invite") == nil)
        #expect(!limited.text.contains("/console/other/"))
    }

    @Test(
        "The page after an invitation shows its link, and a reload or a foreign link invites nobody and shows nothing")
    func invitationLink() async throws {
        let fixture = try await ConsoleFixture()
        let owner = try await fixture.signIn(as: "owner")
        let page = try await owner.open("/console/demo/administrators")
        let invited = try await owner.submit(page, "invite", ["email": "bob@example.com", "role": "viewer"])
        let location = try #require(invited.location, "\(invited.text)")
        #expect(invited.status == 303 && !location.contains("code"), "the URL has the link only encrypted")
        let link = #/https://auth.example.com/console/invitation\?code=[A-Za-z0-9_-]+/#
        let shown = try await owner.open(location)
        let first = try #require(shown.text.firstMatch(of: link)?.output, "\(shown.text)")
        #expect(shown.text.contains("The person is invited."))
        #expect(try await owner.open(location).text.firstMatch(of: link)?.output == first)
        #expect(try await owner.open("/console/demo/administrators").text.firstMatch(of: link) == nil)
        // The session of another owner, and a text that the person has had encrypted for a URL.
        let eve = try await fixture.signIn("eve@example.com", as: "owner")
        #expect(try await eve.open(location).text.firstMatch(of: link) == nil)
        let own = try await eve.submit(
            try await eve.open("/console/demo/administrators"), "search", ["text": "https://evil.example"])
        let token = try #require(own.location?.firstMatch(of: #/search=([^&]+)/#)?.output.1)
        let proof = try #require(location.firstMatch(of: #/resultProof=([^&]+)/#)?.output.1)
        let forged = try await eve.open("/console/demo/administrators?result=\(token)&resultProof=\(proof)")
        #expect(forged.status == 200 && !forged.text.contains("Link of the invitation"))
    }

    @Test(
        "The navigation marks the screens of the settings and of accounts",
        arguments: [
            ("brand", ["settings", "brand"]), ("settings", ["settings", "settings"]), ("newAccount", ["accounts"]),
            ("accounts", ["accounts"]), ("administrators", ["administrators"]),
        ])
    func navigation(screen: String, marked: [String]) async throws {
        let fixture = try await ConsoleFixture()
        let owner = try await fixture.signIn(as: "owner")
        let page = try await owner.open("/console/demo/\(screen)")
        let current = page.text.matches(of: #/<a href="\/console\/demo\/([^"]+)" aria-current="page"/#)
        #expect(current.map { String($0.output.1) } == marked, "\(page.text)")
    }

    @Test("A page of administrators has at most `pageSize`, and only the last page has no token")
    func operation() async throws {
        let fixture = try await ConsoleFixture()
        for name in ["a", "b", "c"] { _ = try await fixture.invite("\(name)@example.com", "viewer") }
        func list(_ query: [(name: String, value: String)]) async throws -> Exchange {
            try await fixture.gateway.send(
                .get, "/v2/projects/other/administrators", by: fixture.operatorsKey, query: query)
        }
        let all = try await list([]).json["administrators"]?.elements.compactMap { $0["localId"]?.string } ?? []
        #expect(all.count == 3 && all == all.sorted())
        let first = try await list([("pageSize", "2")])
        #expect(first.json["nextPageToken"]?.string == all[1])
        let second = try await list([("pageSize", "1"), ("pageToken", all[1])])
        #expect(second.json["administrators"]?.elements.compactMap { $0["localId"]?.string } == [all[2]])
        #expect(second.json["nextPageToken"] == nil)
        #expect(
            try await list([("pageToken", String(repeating: "a", count: 129))]).outcome == "400 INVALID_PAGE_SELECTION")
        #expect(try await list([("pageSize", "-1")]).json["error"]?["status"]?.string == "INVALID_ARGUMENT")
    }
}
