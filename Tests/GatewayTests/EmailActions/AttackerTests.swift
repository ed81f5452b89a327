import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// Simulates random actions of an attacker who has the owner's password. The owner then uses one remedy: an emailed
/// link that gives the account back, or a password reset.
@Suite("Remedies after the theft of a password")
struct AttackerTests {
    @Test("After the owner's remedy, the attacker has no access, whatever the attacker did before", arguments: 0..<60)
    func nothingIsLeft(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let account = try await CompromisedAccount(ownerHasGoogle: Bool.random(using: &random))
        var attacker = try await Attacker(in: account)
        for _ in 0..<Int.random(in: 1...7, using: &random) {
            account.gateway.clock.advance(by: .seconds(Int.random(in: 1...60, using: &random)))
            try await attacker.take(Attacker.Action.allCases.randomElement(using: &random) ?? .changePassword)
        }
        account.gateway.clock.advance(by: .seconds(Int.random(in: 1...3600, using: &random)))
        let remedy = try await account.useRemedy(&random)
        try await account.expectOwnerHasAccount(after: attacker.actions, remedy)
        let before = try await account.storedRows()
        let owner = try await account.signInAsOwner()
        try await attacker.tryEveryCredential(against: account.localId, after: remedy)
        #expect(try await account.storedRows() == before, "\(attacker.actions) then \(remedy)")
        #expect(try await account.gateway.lookup(owner.idToken).status == 200, "\(attacker.actions) then \(remedy)")
    }
}

/// An account with a verified address. An attacker knows the account's password.
private struct CompromisedAccount {
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
    func useRemedy(_ random: inout SeededRandom) async throws -> String {
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
        let code = try #require(try await requestResetCode(), "the owner had no remedy")
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
            "SELECT id FROM account WHERE email = \(Self.email)"
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
        let foreign = page.checkboxes.filter { !($0.contains("google.com") && keepsGoogle) }
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

/// An attacker who takes the actions that the test chooses, and keeps every credential that the gateway returns.
private struct Attacker {
    enum Action: CaseIterable {
        case linkGoogle, linkApple, replaceGoogle, changePassword, changeAddress, linkMailbox, keepPendingToken
        case mergeOwnAccountIntoStolen, mergeStolenIntoOwnAccount, signInAgain, issueNonce
    }

    static let mailboxes = ["eve@example.com", "eve2@example.com", "eve3@example.com"]
    static let google = SimulatedPerson.named("Eve", "Google")
    static let apple = SimulatedPerson.named("Eve", "Apple")
    static let otherGoogle = SimulatedPerson.named("Eve", "Other")

    let account: CompromisedAccount
    private(set) var actions: [Action] = []
    private var tokens: [TestGateway.Tokens]
    private var passwords = [CompromisedAccount.stolenPassword]
    private var addresses = [CompromisedAccount.email]
    private var pendingTokens: [String] = []

    private var gateway: TestGateway { account.gateway }
    private var idToken: String { tokens[tokens.count - 1].idToken }

    init(in account: CompromisedAccount) async throws {
        self.account = account
        tokens = [
            try TestGateway.Tokens(
                try await account.gateway.signIn(
                    email: CompromisedAccount.email, password: CompromisedAccount.stolenPassword))
        ]
    }

    /// Takes an action. The gateway may reject it.
    mutating func take(_ action: Action) async throws {
        actions.append(action)
        switch action {
        case .linkGoogle: keepTokens(of: try await gateway.link(gateway.googleCredential(Self.google), to: idToken))
        case .linkApple: keepTokens(of: try await gateway.link(gateway.appleCredential(Self.apple), to: idToken))
        case .replaceGoogle:
            keepTokens(of: try await gateway.update(idToken, ["deleteProvider": ["google.com"]]))
            keepTokens(of: try await gateway.link(gateway.googleCredential(Self.google), to: idToken))
        case .changePassword:
            passwords.append("attacker secret \(actions.count)")
            keepTokens(of: try await gateway.update(idToken, ["password": .string(passwords[passwords.count - 1])]))
        case .changeAddress: try await changeAddress()
        case .linkMailbox: try await linkMailbox()
        case .keepPendingToken:
            // If no account has the address, this sign-in creates one.
            let credential = try gateway.googleCredential(Self.otherGoogle) { draft in
                draft.claims["email"] = .string(CompromisedAccount.email)
                draft.claims["email_verified"] = .bool(false)
            }
            pendingTokens += [try await gateway.signIn(credential).pendingToken].compactMap(\.self)
        case .mergeOwnAccountIntoStolen: try await merge(ownAccountIsSource: true)
        case .mergeStolenIntoOwnAccount: try await merge(ownAccountIsSource: false)
        case .signInAgain: try await signInAgain()
        case .issueNonce: _ = try await gateway.post("/v1/accounts:issueNonce")
        }
    }

    private mutating func changeAddress() async throws {
        let requested = try await gateway.sendOobCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(idToken), "newEmail": .string(Self.mailboxes[0])])
        guard requested.status == 200 else { return }
        _ = try await gateway.applyCode(try await gateway.latestCode(.changeEmail))
        addresses.append(Self.mailboxes[0])
        try await signInAgain()
    }

    private mutating func linkMailbox() async throws {
        guard try await gateway.sendOobCode("EMAIL_SIGNIN", ["email": .string(Self.mailboxes[1])]).status == 200 else {
            return
        }
        let code = try await gateway.latestCode(.signIn)
        keepTokens(of: try await gateway.signInWithEmailLink(Self.mailboxes[1], code, ["idToken": .string(idToken)]))
        addresses.append(Self.mailboxes[1])
    }

    /// Merges another account of the attacker into the stolen account, or the stolen account into that account.
    private mutating func merge(ownAccountIsSource: Bool) async throws {
        let own: Exchange
        if ownAccountIsSource {
            own = try await gateway.post(
                "/v1/accounts:signUp", ["email": .string(Self.mailboxes[2]), "password": .string(passwords[0])])
            guard own.status == 200 else { return }
            _ = try await gateway.applyCode(
                try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": own.json["idToken"] ?? .null]))
        } else {
            own = try await gateway.signIn(gateway.googleCredential(Self.otherGoogle))
        }
        let source = ownAccountIsSource ? own.json["idToken"]?.string : idToken
        let proof =
            ownAccountIsSource
            ? try gateway.appleCredential(Self.apple) : try gateway.googleCredential(Self.otherGoogle)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(source ?? ""), "dryRun": true, "postBody": .string(proof.postBody),
                "requestUri": "http://localhost",
            ])
        keepTokens(
            of: try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(source ?? ""), "mergeToken": preview.json["mergeToken"] ?? .null]))
    }

    private mutating func signInAgain() async throws {
        for address in addresses {
            for password in passwords { keepTokens(of: try await gateway.signIn(email: address, password: password)) }
        }
        keepTokens(of: try await gateway.signIn(gateway.googleCredential(Self.google)))
        keepTokens(of: try await gateway.signIn(gateway.appleCredential(Self.apple)))
    }

    /// Stores the tokens of the response, if there are any.
    private mutating func keepTokens(of answer: Exchange) {
        guard let localId = answer.json["localId"]?.string, let idToken = answer.json["idToken"]?.string,
            let refreshToken = answer.json["refreshToken"]?.string
        else { return }
        tokens.append(TestGateway.Tokens(localId: localId, idToken: idToken, refreshToken: refreshToken))
    }

    /// Uses every kept credential. None of them may give access to the owner's account.
    func tryEveryCredential(against ownersID: String, after remedy: String) async throws {
        let history = "\(actions) then \(remedy)"
        for kept in tokens {
            let looked = try await gateway.lookup(kept.idToken)
            #expect(looked.json["users"]?[0]?["localId"]?.string != ownersID, "\(history)")
            let refreshed = try await gateway.refresh(kept.refreshToken)
            #expect(refreshed.status != 200 || refreshed.json["user_id"]?.string != ownersID, "\(history)")
        }
        for address in addresses + Self.mailboxes {
            for password in passwords {
                let answer = try await gateway.signIn(email: address, password: password)
                #expect(answer.json["localId"]?.string != ownersID, "\(history): \(address)")
            }
        }
        for proof in [
            try gateway.googleCredential(Self.google), try gateway.appleCredential(Self.apple),
            try gateway.googleCredential(Self.otherGoogle),
        ] {
            #expect(
                try await gateway.signIn(proof).json["localId"]?.string != ownersID, "\(history): \(proof.provider)")
        }
        for token in pendingTokens {
            for idToken in tokens.map(\.idToken) + [""] {
                let answer = try await gateway.signInWithIdp([
                    "pendingToken": .string(token), "idToken": .string(idToken),
                ])
                #expect(answer.json["localId"]?.string != ownersID, "\(history)")
            }
        }
        for email in try await gateway.emails() where Self.mailboxes.contains(email.recipient) {
            for code in [email.content.code].compactMap(\.self) + (email.content.removals ?? []).map(\.code) {
                _ = try await gateway.signInWithEmailLink(email.recipient, code)
                _ = try await gateway.resetPassword(code, "last try of the attacker")
                _ = try await gateway.applyCode(code)
                _ = try await gateway.submitActionPage(code, ["newPassword": "last try of the attacker"])
            }
        }
    }
}
