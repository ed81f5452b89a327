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
            let set = try await $0.gateway.administer(
                ":update", ["localId": .string($0.ada.localId), "password": "a long secret"])
            #expect(set.status == 200, "\(set.text)")
        },
        Row(testDescription: "with sign-in by email link") {
            try await $0.gateway.database.pool.execute(
                "UPDATE account SET email_link_sign_in = true WHERE id = \($0.ada.localId)")
        },
        Row(testDescription: "with a new address that another account holds") {
            let email = try #require($0.expectedAddresses(TeamTransferTests.ada)[1])
            let made = try await $0.gateway.administer("", ["email": .string(email)])
            #expect(made.status == 200, "\(made.text)")
        },
    ]

    @Test(
        "An account keeps its address with a password, with sign-in by email link, or if the new address is taken",
        arguments: rows,
        TransferNotificationTests.Move.allCases)
    func stays(row: Row, move: TransferNotificationTests.Move) async throws {
        let fixture = try await TeamTransferTests.Fixture()
        let gateway = fixture.gateway
        try await gateway.makeServiceKey()
        try await row.prepare(fixture)
        let email = try await gateway.user(fixture.ada.localId)["email"]
        _ = try await fixture.export()
        try await fixture.move()
        switch move {
        case .import: #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        case .signIn: #expect(try await gateway.signIn(gateway.apple(TeamTransferTests.ada)).status == 200)
        }
        let user = try await gateway.user(fixture.ada.localId)
        #expect(user["email"] == email && email != nil)
        #expect(user["emailVerified"] == true)
        let identity = user["providerUserInfo"]?.elements.first { $0["providerId"] == "apple.com" }
        #expect(identity?["email"]?.string == fixture.expectedAddresses(TeamTransferTests.ada)[1])
    }

    @Test(
        "Codes that were sent to the former address are invalid after the transfer",
        arguments: ["PASSWORD_RESET", "EMAIL_SIGNIN"])
    func formerMailbox(type: String) async throws {
        let fixture = try await TeamTransferTests.Fixture()
        let gateway = fixture.gateway
        let email = try #require(try await fixture.addresses(fixture.ada)[2])
        let code = try await gateway.requestedCode(
            type, ["email": .string(email), "continueUrl": "http://localhost", "canHandleCodeInApp": true])
        _ = try await fixture.export()
        try await fixture.move()
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        let answer =
            type == "EMAIL_SIGNIN"
            ? try await gateway.post(
                "/v1/accounts:signInWithEmailLink", ["email": .string(email), "oobCode": .string(code)])
            : try await gateway.check(code)
        #expect(answer.outcome == "400 INVALID_OOB_CODE")
    }
}
