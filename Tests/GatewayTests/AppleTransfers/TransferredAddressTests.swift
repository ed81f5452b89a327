import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("The address of an account whose Apple identity moves to another team")
struct TransferredAddressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let prepare: @Sendable (TeamTransferTests.Fixture) async throws -> Void
    }

    static let rows = [
        Row(testDescription: "with a password") {
            let updated = try await $0.gateway.administerAccounts(
                ":update", ["localId": .string($0.ada.localId), "password": "a long secret"])
            #expect(updated.status == 200, "\(updated.text)")
        },
        Row(testDescription: "with sign-in by email link") {
            try await $0.gateway.database.pool.execute(
                "UPDATE account SET email_link_sign_in = true WHERE id = \($0.ada.localId)")
        },
        Row(testDescription: "with a new address that another account has") {
            let email = try #require($0.identityAfterTransfer(of: TeamTransferTests.ada).email)
            let created = try await $0.gateway.createAccountAsAdmin(["email": .string(email)])
            #expect(created.status == 200, "\(created.text)")
        },
    ]

    @Test(
        "An account keeps its address if it has a password or sign-in by email link, or if the new address is taken",
        arguments: rows,
        TransferNotificationTests.Move.allCases)
    func stays(row: Row, move: TransferNotificationTests.Move) async throws {
        let fixture = try await TeamTransferTests.Fixture()
        let gateway = fixture.gateway
        try await gateway.makeServiceKey()
        try await row.prepare(fixture)
        let email = try await gateway.accountSeenByAdmin(fixture.ada.localId)["email"]
        _ = try await fixture.export()
        try await fixture.moveApp()
        switch move {
        case .import: #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        case .signIn: #expect(try await gateway.signIn(gateway.appleCredential(TeamTransferTests.ada)).status == 200)
        }
        let user = try await gateway.accountSeenByAdmin(fixture.ada.localId)
        #expect(user["email"] == email && email != nil)
        #expect(user["emailVerified"] == true)
        let identity = user["providerUserInfo"]?.elements.first { $0["providerId"] == "apple.com" }
        #expect(identity?["email"]?.string == fixture.identityAfterTransfer(of: TeamTransferTests.ada).email)
    }

    @Test(
        "A code that was sent to the account's former address is invalid after the transfer",
        arguments: ["PASSWORD_RESET", "EMAIL_SIGNIN"])
    func formerAddress(type: String) async throws {
        let fixture = try await TeamTransferTests.Fixture()
        let gateway = fixture.gateway
        let email = try #require(try await fixture.identity(of: fixture.ada).accountEmail)
        let code = try await gateway.requestedCode(
            type, ["email": .string(email), "continueUrl": "http://localhost", "canHandleCodeInApp": true])
        _ = try await fixture.export()
        try await fixture.moveApp()
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        let answer =
            type == "EMAIL_SIGNIN"
            ? try await gateway.post(
                "/v1/accounts:signInWithEmailLink", ["email": .string(email), "oobCode": .string(code)])
            : try await gateway.checkCode(code)
        #expect(answer.outcome == "400 INVALID_OOB_CODE")
    }
}
