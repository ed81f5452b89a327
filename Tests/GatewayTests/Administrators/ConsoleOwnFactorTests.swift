import HTTP
import Identity
import Testing
import WebAuthnSupport

@testable import Gateway
@testable import Support

@Suite("The own passkeys and recovery codes of people who use the console", .serialized)
struct ConsoleOwnFactorTests {
    @Test("A person sees when a passkey was created and used, removes one of two, and gets an email")
    func removal() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, first) = try await fixture.signInWithPasskey(as: "administrator")
        var (lost, kept) = (first, try TestPasskey.ofConsole())
        let page = try await ada.open("/console/passkeys")
        #expect(page.text.contains("last used ") && !page.text.contains("never used"))
        let added = try await ada.send(try kept.register(options: page.passkeyOptions), page, "addPasskey")
        #expect(added.status == 303, "\(added.text)")
        let listed = try await ada.open("/console/passkeys")
        #expect(listed.text.contains("never used"))
        let form = try #require(listed.removalForm(of: lost))
        #expect(try await ada.submit(listed, form).location == "/console/passkeys")
        // The session was opened with the passkey.
        #expect(try await ada.open("/console/passkeys").location?.hasPrefix("/console/signIn?") == true)
        #expect(try await ada.enterPasskey(&lost).status == 400)
        #expect(try await ada.enterPasskey(&kept).status == 303)
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .administrator])
        let rest = try await ada.open("/console/passkeys")
        #expect(rest.removalForm(of: lost) == nil && rest.removalForm(of: kept) != nil, "\(rest.text)")
        #expect(try await fixture.gateway.emails(.identityUnlinked).map(\.recipient) == [ada.email])
    }

    @Test("The last passkey of a person without an authenticator app stays, although another owner is there")
    func lastFactor() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        _ = try await fixture.signIn("eve@example.com", as: "owner")
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        var device = enrolled
        let page = try await ada.open("/console/passkeys")
        let refused = try await ada.submit(page, try #require(page.removalForm(of: device)))
        #expect(
            refused.status == 400 && refused.text.contains("keeps a passkey or an authenticator app"), "\(refused.text)"
        )
        #expect(!refused.text.contains("OPERATION_NOT_ALLOWED"), "the code is for developers")
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .owner])
        #expect(try await ada.enterPasskey(&device).status == 303)
        #expect(try await fixture.gateway.emails(.identityUnlinked).isEmpty)
    }

    @Test("A passkey is removed only within five minutes of a proof, and only the person's own")
    func proof() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (eve, enrolled) = try await fixture.signInWithPasskey("eve@example.com", as: "owner")
        let ada = try await fixture.signIn(as: "owner")
        let page = try await ada.open("/console/passkeys")
        var own = try TestPasskey.ofConsole()
        _ = try await ada.send(try own.register(options: page.passkeyOptions), page, "addPasskey")
        let listed = try await ada.open("/console/passkeys")
        let form = try #require(listed.removalForm(of: own))
        let foreign = try await ada.submit(listed, form) { fields in
            fields = fields.map { $0.0 == "passkey" ? ($0.0, enrolled.id) : $0 }
        }
        #expect(foreign.status == 303)
        var device = enrolled
        #expect(try await eve.enterPasskey(&device).status == 303)
        fixture.gateway.clock.advance(by: .seconds(6 * 60))
        let late = try await ada.submit(listed, form)
        #expect(late.location == "/console/signIn?continue=%2Fconsole%2Fpasskeys", "\(late.text)")
        try await ada.confirm()
        #expect(try await ada.open("/console/passkeys").removalForm(of: own) != nil)
    }

    @Test("New recovery codes are shown once and counted, replace earlier ones, and are announced by email")
    func recoveryCodes() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let start = try await ada.open("/console/demo/accounts")
        #expect(start.text.contains("/console/recoveryCodes"))
        let page = try await ada.open("/console/recoveryCodes")
        #expect(page.text.contains("You have no unused code."), "\(page.text)")
        let made = try await ada.submit(page, "recoveryCodes")
        let codes = made.text.matches(of: #/<code>([0-9A-Z-]{27})</code>/#).map { String($0.output.1) }
        #expect(made.status == 200 && Set(codes).count == 10, "\(made.text)")
        #expect(made.headers["Cache-Control"] == "no-store")
        #expect(try await fixture.gateway.emails(.recoveryCodesRenewed).map(\.recipient) == [ada.email])
        // A reload of the result.
        let again = try await ada.submit(page, "recoveryCodes")
        #expect(again.status == 400 && again.text.contains("New codes were made since this page was opened."))
        #expect(again.text.contains("Unused codes: 10."))
        let other = ConsoleVisitor(fixture.gateway)
        let entered = try await other.submit(
            try await other.enterPassword(ada.email), "code", ["code": try #require(codes.first)])
        #expect(entered.status == 303, "\(entered.text)")
        let rest = try await other.open("/console/recoveryCodes")
        #expect(rest.text.contains("Unused codes: 9.") && codes.allSatisfy { !rest.text.contains($0) })
        #expect(try await other.submit(rest, "recoveryCodes").status == 200)
        let old = try await other.submit(
            try await other.enterPassword(ada.email), "code", ["code": try #require(codes.last)])
        #expect(old.status == 400, "\(old.text)")
    }

    @Test("Recovery codes need a proof of the last five minutes, a form of the console and an authenticator app")
    func recoveryCodeProof() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let ada = try await fixture.signIn(as: "owner")
        let page = try await ada.open("/console/recoveryCodes")
        let forged = try await ada.submit(page, "recoveryCodes") { fields in
            fields = fields.map { $0.0 == "formToken" ? ($0.0, String($0.1.reversed())) : $0 }
        }
        #expect(forged.status == 403)
        fixture.gateway.clock.advance(by: .seconds(6 * 60))
        let proof = "/console/signIn?continue=%2Fconsole%2FrecoveryCodes"
        #expect(try await ada.submit(page, "recoveryCodes").location == proof)
        #expect(try await ada.open("/console/recoveryCodes").location == proof)
        let (eve, _) = try await fixture.signInWithPasskey("eve@example.com", as: "owner")
        let none = try await eve.open("/console/recoveryCodes")
        #expect(none.status == 200 && none.form("recoveryCodes") == nil, "\(none.text)")
    }
}

extension Exchange {
    /// The ID of the form that removes the passkey.
    fileprivate func removalForm(of device: TestPasskey) -> String? {
        (0..<20).map { "removePasskey-\($0)" }.first { id in
            form(id)?.hidden.contains { $0.0 == "passkey" && $0.1 == device.id } == true
        }
    }
}
