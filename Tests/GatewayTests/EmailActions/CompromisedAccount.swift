import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// An account with a verified address. An attacker knows the account's password.
struct CompromisedAccount {
    static let email = "ada@example.com"
    static let stolenPassword = "stolen secret"
    static let newPassword = "a secret of the owner"

    let gateway: TestGateway
    let localId: String
    /// The owner's Google account; `nil` if the owner has linked none.
    let ownersGoogle: SimulatedPerson?

    init(ownerHasGoogle: Bool) async throws {
        gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let owner = try await gateway.signUpVerified(email: Self.email, password: Self.stolenPassword)
        localId = owner.localId
        ownersGoogle = ownerHasGoogle ? .mary : nil
        gateway.clock.advance(by: .seconds(1))
        if let ownersGoogle {
            let session = try TestGateway.Tokens(
                try await gateway.signIn(email: Self.email, password: Self.stolenPassword))
            #expect(try await gateway.link(gateway.googleCredential(ownersGoogle), to: session.idToken).status == 200)
        }
        gateway.clock.advance(by: .seconds(3600))
        // From now on, the queue has only emails about the attacker's actions.
        _ = try await gateway.database.pool.execute("DELETE FROM outgoing_email")
    }

    /// Uses the link of a random email or requests a password reset, and sets a new password on the page. On the page,
    /// also selects every identity that the owner did not add, to remove it.
    ///
    /// - Returns: the name of the remedy.
    func useRemedy(after actions: [Attacker.Action], _ random: inout SeededRandom) async throws -> String {
        let emails = try await gateway.emails().filter { $0.recipient == Self.email }
        var links = emails.flatMap { email in
            ([email.content.code].compactMap(\.self) + (email.content.removals ?? []).map(\.code))
                .map { (email.kind.rawValue, $0) }
        }
        links.shuffle(using: &random)
        if Bool.random(using: &random), let reset = try await requestResetCode() {
            links.insert(("reset", reset), at: 0)
        }
        for (name, code) in links {
            let page = try await gateway.openActionPage(code)
            guard page.status == 200 else { continue }
            var passwordPage = page
            if !page.text.contains(#"name="newPassword""#) {
                passwordPage = try await gateway.submitActionPage(
                    code, try await fieldsSelectingForeignIdentities(on: page))
                guard passwordPage.status == 200, passwordPage.text.contains(#"name="newPassword""#) else { continue }
            }
            let selected = try await fieldsSelectingForeignIdentities(on: passwordPage)
            let fields = selected.merging(["newPassword": Self.newPassword]) { $1 }
            let done = try await gateway.submitActionPage(try passwordPage.requiredFormCode(), fields)
            #expect(done.status == 200, "\(name): \(done.text)")
            return name
        }
        let code = try #require(try await requestResetCode(), "the owner had no remedy after \(actions)")
        let page = try await gateway.openActionPage(code)
        let selected = try await fieldsSelectingForeignIdentities(on: page)
        let fields = selected.merging(["newPassword": Self.newPassword]) { $1 }
        #expect(try await gateway.submitActionPage(code, fields).status == 200)
        return "reset"
    }

    /// Requests a reset email, and returns its code; `nil` if the gateway sends no such email for this account.
    private func requestResetCode() async throws -> String? {
        // If another account has the address, the email would have a reset code of that account.
        let accountWithEmail = try await gateway.database.pool.query(
            "SELECT id FROM account WHERE realm_id = 'demo' AND email = \(Self.email)"
        ).first
        guard try accountWithEmail?.decode("id") == localId else { return nil }
        let count = try await gateway.emails(.resetPassword).count
        let requested = try await gateway.sendOobCode("PASSWORD_RESET", ["email": .string(Self.email)])
        guard requested.status == 200, try await gateway.emails(.resetPassword).count > count else { return nil }
        return try await gateway.latestCode(.resetPassword)
    }

    /// Form fields that select every identity that the owner did not add.
    private func fieldsSelectingForeignIdentities(on page: Exchange) async throws -> [String: String] {
        let keepsGoogle = try await isOwnersGoogleLinked()
        let foreign = page.checkboxes.filter { $0.hasPrefix("remove.") && !($0.contains("google.com") && keepsGoogle) }
        return Dictionary(uniqueKeysWithValues: foreign.map { ($0, "on") })
    }

    private func isOwnersGoogleLinked() async throws -> Bool {
        let rows = try await gateway.database.pool.query(
            "SELECT email FROM linked_identity WHERE provider = 'google.com' AND account_id = \(localId)")
        return try ownersGoogle != nil
            && rows.contains { try $0.decode("email", as: String?.self) == ownersGoogle?.email }
    }

    func signInAsOwner() async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(try await gateway.signIn(email: Self.email, password: Self.newPassword))
    }

    func expectOwnerHasAccount(after actions: [Attacker.Action], _ remedy: String) async throws {
        let account = try await gateway.accountSeenByUser(try await signInAsOwner().idToken)
        #expect(account["localId"]?.string == localId, "\(actions) then \(remedy)")
        #expect(account["email"]?.string == Self.email, "\(actions) then \(remedy)")
        #expect(account["emailVerified"] == true, "\(actions) then \(remedy)")
    }

    /// The rows of the account and its identities, without the time of the last sign-in.
    func storedRows() async throws -> [String] {
        try await gateway.database.pool.query(
            """
            SELECT (to_jsonb(a) - 'last_sign_in_at')::text AS line FROM account a WHERE a.id = \(localId)
            UNION ALL SELECT to_jsonb(l)::text FROM linked_identity l WHERE l.account_id = \(localId) ORDER BY line
            """
        ).map { try $0.decode("line") }
    }
}
