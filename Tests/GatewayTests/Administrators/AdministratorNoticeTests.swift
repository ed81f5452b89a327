import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Notices to owners", .serialized)
struct AdministratorNoticeTests {
    @Test("The other enabled owners of all projects and of the project learn of each accepted invitation")
    func accepted() async throws {
        let fixture = try await ConsoleFixture()
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let former = try await fixture.signIn("former@example.com", as: "owner")
        #expect(
            try await fixture.administer("update", ["localId": .string(former.id), "disableUser": true]).outcome
                == "200")
        _ = try await fixture.signIn("shop@example.com", as: "owner", in: "demo")
        _ = try await fixture.signIn("reader@example.com", as: "viewer")
        #expect(try await fixture.invite("invited@example.com", "owner").outcome == "200")
        let gateway = fixture.gateway
        #expect(try await gateway.emails(.ownerAdded).map(\.recipient) == ["owner@example.com", "owner@example.com"])
        #expect(try await gateway.emails(.administratorAdded).map(\.recipient) == ["owner@example.com"])
        _ = try await fixture.signIn("helper@example.com", as: "support", in: "demo")
        let told = try await gateway.emails(.administratorAdded).map(\.recipient)
        #expect(told.sorted() == ["owner@example.com", "owner@example.com", "shop@example.com"])
    }

    @Test("The owners learn of a person who becomes an owner, once, and of no other new role")
    func promoted() async throws {
        let fixture = try await ConsoleFixture()
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let ada = try await fixture.signIn(as: "viewer")
        for role in ["support", "owner", "owner", "administrator"] {
            let changed = try await fixture.gateway.send(
                .patch, "/v2/projects/other/administrators/\(ada.id)", ["role": .string(role)],
                by: fixture.operatorsKey)
            #expect(changed.outcome == "200")
        }
        #expect(try await fixture.gateway.emails(.ownerAdded).map(\.recipient) == ["owner@example.com"])
        #expect(try await fixture.gateway.emails(.administratorAdded).count == 1)
    }
}
