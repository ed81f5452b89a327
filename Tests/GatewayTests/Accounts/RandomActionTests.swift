import Identity
import Postgres
import Providers
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// Three users take random actions, some with each other's addresses.
///
/// Each user uses only codes that were sent to their own address.
@Suite("Random sequences of actions")
struct RandomActionTests {
    @Test(
        "No user gets into an account with another user's verified address; no account loses all sign-in methods",
        arguments: 0..<12)
    func randomActions(seed: Int) async throws {
        var scenario = try await Scenario(seed: UInt64(seed))
        for _ in 0..<40 {
            try await scenario.step()
            let violations = try await scenario.violations()
            guard violations.isEmpty else {
                Issue.record("\(violations.joined(separator: "; ")) after \(scenario.history.joined(separator: ", "))")
                return
            }
        }
        // If the gateway rejected almost all actions, the invariants would hold trivially.
        #expect(scenario.successes > 10, "\(scenario.history)")
    }
}

private struct Scenario {
    struct User {
        let person: SimulatedPerson
        let mailbox: String
        let password: String
        /// The ID tokens that the user has received, some of which are no longer valid.
        var idTokens: [String] = []
    }

    let gateway: TestGateway
    var users: [User]
    var random: SeededRandom
    var history: [String] = []
    /// The number of actions that succeeded.
    var successes = 0
    /// The IDs of the accounts that were created without a sign-in method.
    private var anonymous: Set<String> = []

    init(seed: UInt64) async throws {
        gateway = try await TestGateway(.sekisho) {
            $0.emailEnumerationProtection = false
            $0.resetUnlinksIdentities = seed.isMultiple(of: 2)
        }
        random = SeededRandom(seed: seed)
        users = ["ada@gmail.com", "bob@gmail.com", "eve@example.com"].map { mailbox in
            let name = String(mailbox.prefix(3))
            return User(
                person: SimulatedPerson.named(name, "Town").with { $0.email = mailbox }, mailbox: mailbox,
                password: "the secret of \(name)")
        }
    }

    enum Action: String, CaseIterable {
        case signUp, signUpAnonymously, signIn, apple, google, linkApple, linkGoogle, unlink, changeEmail,
            changePassword
        case verify, verifyAndChange, reset, openLink, linkMailbox, recover, merge, delete
    }

    /// Lets a random user take a random action with a random address.
    mutating func step() async throws {
        gateway.clock.advance(by: .seconds(Int.random(in: 1...120, using: &random)))
        let index = Int.random(in: users.indices, using: &random)
        guard let action = Action.allCases.randomElement(using: &random),
            let email = users.map(\.mailbox).randomElement(using: &random)
        else { return }
        let exchange = try await perform(action, by: users[index], naming: email)
        history.append("\(users[index].mailbox.prefix(3)) \(action) \(email.prefix(3)): \(exchange?.outcome ?? "-")")
        guard let exchange, exchange.status == 200 else { return }
        successes += 1
        if let idToken = exchange.json["idToken"]?.string { users[index].idTokens.append(idToken) }
        if action == .signUpAnonymously, let id = exchange.json["localId"]?.string { anonymous.insert(id) }
    }

    /// Returns `nil` if the user cannot take the action.
    private mutating func perform(_ action: Action, by user: User, naming email: String) async throws -> Exchange? {
        let idToken = user.idTokens.randomElement(using: &random)
        switch action {
        case .signUp:
            return try await gateway.post(
                "/v1/accounts:signUp", ["email": .string(email), "password": .string(user.password)])
        case .signUpAnonymously: return try await gateway.post("/v1/accounts:signUp")
        case .signIn: return try await gateway.signIn(email: email, password: user.password)
        case .apple: return try await gateway.signIn(gateway.appleCredential(user.person))
        case .google: return try await gateway.signIn(gateway.googleCredential(user.person))
        case .reset:
            guard try await gateway.sendOobCode("PASSWORD_RESET", ["email": .string(user.mailbox)]).status == 200 else {
                return nil
            }
            return try await gateway.resetPassword(gateway.latestCode(.resetPassword), user.password)
        case .openLink:
            return try await gateway.signInWithEmailLink(
                user.mailbox, gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(user.mailbox)]))
        case .recover:
            let emails = try await gateway.emails(.emailChanged).filter { $0.recipient == user.mailbox }
            guard let code = emails.randomElement(using: &random)?.content.code else { return nil }
            return try await gateway.applyCode(code)
        default:
            guard let idToken else { return nil }
            return try await change(action, by: user, naming: email, idToken)
        }
    }

    /// Takes an action with an ID token of the user. Returns `nil` if the user cannot take the action.
    private func change(
        _ action: Action, by user: User, naming email: String, _ idToken: String
    ) async throws -> Exchange? {
        let session: [String: JSON] = ["idToken": .string(idToken)]
        switch action {
        case .linkApple: return try await gateway.link(gateway.appleCredential(user.person), to: idToken)
        case .linkGoogle: return try await gateway.link(gateway.googleCredential(user.person), to: idToken)
        case .unlink:
            // The random address selects what is unlinked.
            return try await gateway.post(
                "/v1/accounts:unlink",
                [
                    "idToken": .string(idToken),
                    "deleteProvider": email == user.mailbox ? ["password"] : ["google.com"],
                ])
        case .changeEmail: return try await gateway.update(idToken, ["email": .string(email)])
        case .changePassword: return try await gateway.update(idToken, ["password": .string(user.password)])
        case .verify:
            guard try await gateway.sendOobCode("VERIFY_EMAIL", session).status == 200,
                let email = try await gateway.emails(.verifyEmail).last, email.recipient == user.mailbox
            else { return nil }
            return try await gateway.applyCode(try #require(email.content.code))
        case .verifyAndChange:
            let input = session.merging(["newEmail": .string(user.mailbox)]) { $1 }
            let requested = try await gateway.sendOobCode("VERIFY_AND_CHANGE_EMAIL", input)
            return requested.status == 200 ? try await gateway.applyCode(gateway.latestCode(.changeEmail)) : requested
        case .linkMailbox:
            return try await gateway.signInWithEmailLink(
                user.mailbox, gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(user.mailbox)]), session)
        case .merge:
            guard let pending = try await gateway.link(gateway.googleCredential(user.person), to: idToken).pendingToken
            else {
                return nil
            }
            let preview = try await gateway.post(
                "/v1/accounts:merge", ["idToken": .string(idToken), "dryRun": true, "pendingToken": .string(pending)])
            guard let token = preview.json["mergeToken"] else { return preview }
            return try await gateway.post("/v1/accounts:merge", ["idToken": .string(idToken), "mergeToken": token])
        default: return try await gateway.delete(idToken)
        }
    }

    /// Returns the violations of the invariants. Looks up accounts only with the six newest ID tokens of each user:
    /// look-ups with all tokens, after every action, would take most of the test's time.
    func violations() async throws -> [String] {
        var violations: [String] = []
        for user in users {
            for idToken in user.idTokens.suffix(6) {
                let exchange = try await gateway.lookup(idToken)
                guard let account = exchange.json["users"]?[0], account["emailVerified"] == true,
                    account["email"]?.string != user.mailbox
                else { continue }
                violations.append("\(user.mailbox) is in the account of \(account["email"]?.string ?? "")")
            }
        }
        let withoutMethod = try await gateway.database.pool.query(
            """
            SELECT a.id FROM account a WHERE a.password_hash IS NULL AND a.phone_number IS NULL AND NOT a.custom_auth
                AND NOT a.email_link_sign_in AND NOT a.email_verified
                AND NOT EXISTS (SELECT FROM linked_identity l WHERE l.realm_id = a.realm_id AND l.account_id = a.id)
            """)
        for row in withoutMethod {
            let id: String = try row.decode("id")
            if !anonymous.contains(id) { violations.append("\(id) has no sign-in method") }
        }
        return violations
    }
}
