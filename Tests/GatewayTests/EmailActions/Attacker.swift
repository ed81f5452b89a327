import Encoding
import Identity
import JSON
import Simulators
import Testing

@testable import Support

/// An attacker who takes the actions that the test chooses, and keeps every credential that the gateway returns.
struct Attacker {
    enum Action: CaseIterable {
        case linkGoogle, linkApple, replaceGoogle, changePassword, changeAddress, linkMailbox, keepPendingToken
        case mergeOwnAccountIntoStolen, mergeStolenIntoOwnAccount, signInAgain, issueNonce
        case linkInBrowser, signInInBrowser, signInToTenant, openEmailLink, addPassword, unlinkPassword, unlinkGoogle
        case resetOwnPassword, useOwnEmails, endSessions, refresh, createSessionCookie, callAnyOperation
    }

    static let mailboxes = ["eve@example.com", "eve2@example.com", "eve3@example.com"]
    static let google = SimulatedPerson.named("Eve", "Google")
    static let apple = SimulatedPerson.named("Eve", "Apple")
    static let otherGoogle = SimulatedPerson.named("Eve", "Other")

    let account: CompromisedAccount
    private(set) var actions: [Action] = []
    var tokens: [TestGateway.Tokens]
    var passwords = [CompromisedAccount.stolenPassword]
    var addresses = [CompromisedAccount.email]
    private var pendingTokens: [String] = []
    /// Chooses the operations of ``Action/callAnyOperation``.
    var random: SeededRandom
    /// A tenant of the project, in which the attacker has an account; `nil` until the attacker uses it.
    var tenant: (fixture: TenantFixture, id: String)?

    var gateway: TestGateway { account.gateway }
    var idToken: String { tokens[tokens.count - 1].idToken }

    init(in account: CompromisedAccount, seed: Int) async throws {
        self.account = account
        random = SeededRandom(seed: UInt64(seed))
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
        case .linkInBrowser: keepTokens(of: try await completeFlow(["idToken": .string(idToken)]))
        case .signInInBrowser: keepTokens(of: try await completeFlow([:]))
        case .signInToTenant: try await signInToTenant()
        case .openEmailLink: try await openEmailLink()
        case .addPassword: try await addPassword()
        case .unlinkPassword: keepTokens(of: try await gateway.update(idToken, ["deleteProvider": ["password"]]))
        case .unlinkGoogle: keepTokens(of: try await gateway.update(idToken, ["deleteProvider": ["google.com"]]))
        case .resetOwnPassword: try await resetOwnPassword()
        case .useOwnEmails: try await useOwnEmails()
        case .endSessions:
            _ = try await gateway.post("/v1/accounts:revokeSession", ["idToken": .string(idToken), "everywhere": true])
        case .refresh: _ = try await gateway.refresh(tokens[tokens.count - 1].refreshToken)
        case .createSessionCookie:
            _ = try await gateway.post("/v1/projects/demo:createSessionCookie", ["idToken": .string(idToken)])
        case .callAnyOperation: try await callAnyOperation()
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

    mutating func signInAgain() async throws {
        for address in addresses {
            for password in passwords { keepTokens(of: try await gateway.signIn(email: address, password: password)) }
        }
        keepTokens(of: try await gateway.signIn(gateway.googleCredential(Self.google)))
        keepTokens(of: try await gateway.signIn(gateway.appleCredential(Self.apple)))
    }

    /// Stores the tokens of the response, if there are any.
    mutating func keepTokens(of answer: Exchange) {
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
        try await useEveryCode()
    }
}
