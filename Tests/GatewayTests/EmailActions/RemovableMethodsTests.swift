import HTTP
import Identity
import Testing

@testable import Support

/// Passkeys and telephone numbers prove no address, and an attacker may have added them. So each page that follows a
/// proof of the mailbox lists them.
@Suite("Passkeys and telephone numbers on the pages that prove a mailbox")
struct RemovableMethodsTests {
    private struct Compromised {
        let gateway: TestGateway
        let localId: String
        var mine: TestPasskey
        var intruders: TestPasskey

        func methods() async throws -> [String] {
            let user = try await gateway.accountSeenByAdmin(localId)
            return (user["passkeyInfo"]?.elements ?? []).compactMap { $0["name"]?.string }
                + [user["phoneNumber"]?.string].compactMap(\.self)
        }
    }

    /// An account with a passkey of its owner, and a passkey and a telephone number of an intruder.
    private static func compromised(
        isVerified: Bool = true, resetRemoves: Bool = false
    ) async throws -> Compromised {
        let gateway = try await TestGateway {
            $0.emailEnumerationProtection = false
            $0.resetUnlinksIdentities = resetRemoves
        }
        try await gateway.makeServiceKey()
        let ada = isVerified ? try await gateway.signUpVerified() : try await gateway.signUp()
        let mine = try await gateway.enrolPasskey(ada, name: "Mine")
        gateway.clock.advance(by: .seconds(60))
        let session = try TestGateway.Tokens(await gateway.signIn())
        let name = String(repeating: "Not yours <b>", count: 10)
        let intruders = try await gateway.enrolPasskey(session, name: name)
        let number = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.localId), "phoneNumber": "+15555550100"])
        #expect(number.isSuccess, "\(number.text)")
        gateway.clock.advance(by: .seconds(60))
        return Compromised(
            gateway: gateway, localId: ada.localId, mine: mine.device, intruders: intruders.device)
    }

    private static func field(_ device: TestPasskey) -> String { "removePasskey.\(device.id)" }

    @Test("The page of a reset lists them with name and date, and removes those that the user selects")
    func reset() async throws {
        let account = try await Self.compromised()
        let code = try await account.gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let page = try await account.gateway.openActionPage(code)
        #expect(
            page.checkboxes.sorted()
                == ["remove.phone", Self.field(account.mine), Self.field(account.intruders)].sorted())
        #expect(page.text.contains("Mine") && page.text.contains("15 January 2027"), "\(page.text)")
        #expect(page.text.contains("0100") && !page.text.contains("+15555550100"))
        // The beginning of the name, as text.
        #expect(page.text.contains("Not yours &lt;b&gt;Not yours"))
        #expect(!page.text.contains(String(repeating: "Not yours &lt;b&gt;", count: 4)))
        let events = try await account.gateway.newAuditEvents {
            let done = try await account.gateway.submitActionPage(
                code,
                [
                    "newPassword": "staple battery", Self.field(account.intruders): "true", "remove.phone": "true",
                ])
            #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        }
        #expect(try await account.methods() == ["Mine"])
        #expect(Set(events.map(\.action)) == ["passkey.removed", "phone.removed", "password.changed"])
        var intruders = account.intruders
        #expect(
            try await account.gateway.signInWithPasskey(&intruders).wireCode == "PASSKEY_ENROLLMENT_NOT_FOUND")
    }

    @Test("A reset keeps what the user did not select")
    func notSelected() async throws {
        let account = try await Self.compromised()
        let before = try await account.methods()
        let code = try await account.gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        _ = try await account.gateway.submitActionPage(code, ["newPassword": "staple battery"])
        #expect(try await account.methods() == before)
    }

    @Test("If a selected passkey is gone, a reset removes all passkeys of the account, and none of another account")
    func replacedPasskey() async throws {
        let account = try await Self.compromised()
        let eve = try await account.gateway.enrolPasskey(account.gateway.signUp(email: "eve@example.com"))
        let code = try await account.gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        _ = try await account.gateway.submitActionPage(
            code, ["newPassword": "staple battery", Self.field(eve.device): "true"])
        #expect(try await account.methods() == ["+15555550100"])
        #expect(try await account.gateway.passkeys(of: eve.tokens.localId).count == 1)
    }

    @Test("An intruder who removes or replaces the selected passkey does not keep the account")
    func replacedBeforeConfirmation() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let first = try await gateway.enrolPasskey(gateway.signUp())
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(first.tokens.idToken)])
        let second = try await gateway.enrolPasskey(first.tokens)
        let removed = try await gateway.update(
            second.tokens.idToken, ["deletePasskey": [.string(first.device.id)]])
        #expect(removed.status == 200, "\(removed.text)")
        let next = try await gateway.submitActionPage(code, [Self.field(first.device): "true"])
        #expect(next.text.contains("Now set a new password"), "\(next.text)")
        #expect(try await gateway.passkeys(of: first.tokens.localId) == [])
        #expect(try await gateway.signIn().status == 400)
    }

    @Test("If a reset removes what was linked, the page lists the telephone number only")
    func resetOfEverything() async throws {
        let account = try await Self.compromised(resetRemoves: true)
        let code = try await account.gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await account.gateway.openActionPage(code).checkboxes == ["remove.phone"])
    }

    @Test("The page that restores an address lists what was added before the change, and removes all later additions")
    func recovery() async throws {
        var account = try await Self.compromised()
        let gateway = account.gateway
        let session = try TestGateway.Tokens(await gateway.signInWithPasskey(&account.intruders))
        let changed = try await gateway.update(session.idToken, ["email": "eve@example.com"])
        gateway.clock.advance(by: .seconds(60))
        _ = try await gateway.enrolPasskey(try TestGateway.Tokens(changed), name: "Later")
        let code = try #require(try await gateway.emails(.emailChanged).last?.content.code)
        #expect(
            try await gateway.openActionPage(code).checkboxes.sorted()
                == ["remove.phone", Self.field(account.mine), Self.field(account.intruders)].sorted())
        let next = try await gateway.submitActionPage(
            code, [Self.field(account.intruders): "true", "remove.phone": "true"])
        #expect(next.text.contains("Now set a new password"), "\(next.text)")
        #expect(try await account.methods() == ["Mine"])
    }

    @Test("The page that confirms an address removes all of them, and the password, if the user disowns one")
    func confirmation() async throws {
        let account = try await Self.compromised(isVerified: false)
        let gateway = account.gateway
        let session = try TestGateway.Tokens(await gateway.signIn())
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(session.idToken)])
        #expect(
            try await gateway.openActionPage(code).checkboxes.sorted()
                == ["remove.phone", Self.field(account.mine), Self.field(account.intruders)].sorted())
        let next = try await gateway.submitActionPage(code, [Self.field(account.intruders): "true"])
        #expect(next.text.contains("Now set a new password"), "\(next.text)")
        #expect(try await account.methods() == [])
        #expect(try await gateway.lookup(session.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn().status == 400)
    }

    @Test("The form can select twenty passkeys with the longest credential IDs")
    func longForm() async throws {
        let account = try await Self.compromised()
        let code = try await account.gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        var fields = ["newPassword": "staple battery", Self.field(account.intruders): "true"]
        for number in 10..<30 { fields["removePasskey.\(number)\(String(repeating: "A", count: 1362))"] = "true" }
        let done = try await account.gateway.submitActionPage(code, fields)
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        #expect(try await account.methods() == ["+15555550100"])
    }
}
