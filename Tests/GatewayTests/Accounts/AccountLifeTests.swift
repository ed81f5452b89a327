import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// Three users take random actions, also with each other's addresses. Each uses only codes of emails that they requested.
@Suite("Any sequence of actions")
struct AccountLifeTests {
    @Test("a verified address belongs to its owner only, and no owner is locked out", arguments: 0..<12)
    func life(seed: Int) async throws {
        var town = try await Town(seed: UInt64(seed))
        for _ in 0..<40 {
            try await town.step()
            let faults = try await town.faults()
            guard faults.isEmpty else {
                Issue.record("\(faults.joined(separator: "; ")) after \(town.story.joined(separator: ", "))")
                return
            }
        }
        #expect(town.successes > 10, "\(town.story)")
    }
}

private struct Town {
    struct Citizen {
        let person: SimulatedPerson
        let mailbox: String
        let password: String
        var idTokens: [String] = []
    }

    let gateway: TestGateway
    var citizens: [Citizen]
    var random: SeededRandom
    var story: [String] = []
    var successes = 0
    private var anonymous: Set<String> = []

    init(seed: UInt64) async throws {
        gateway = try await TestGateway(.sekisho) {
            $0.emailEnumerationProtection = false
            $0.resetUnlinksIdentities = seed.isMultiple(of: 2)
        }
        random = SeededRandom(seed: seed)
        citizens = ["ada@gmail.com", "bob@gmail.com", "eve@example.com"].map { mailbox in
            let name = String(mailbox.prefix(3))
            return Citizen(
                person: SimulatedPerson.named(name, "Town").with { $0.email = mailbox }, mailbox: mailbox,
                password: "the secret of \(name)")
        }
    }

    enum Deed: String, CaseIterable {
        case signUp, signUpAnonymously, signIn, apple, google, linkApple, linkGoogle, unlink, changeEmail,
            changePassword
        case verify, verifyAndChange, reset, openLink, linkMailbox, recover, merge, delete
    }

    mutating func step() async throws {
        gateway.clock.advance(by: .seconds(Int.random(in: 1...120, using: &random)))
        let index = Int.random(in: citizens.indices, using: &random)
        guard let deed = Deed.allCases.randomElement(using: &random),
            let email = citizens.map(\.mailbox).randomElement(using: &random)
        else { return }
        let exchange = try await perform(deed, by: citizens[index], naming: email)
        story.append("\(citizens[index].mailbox.prefix(3)) \(deed) \(email.prefix(3)): \(exchange?.outcome ?? "-")")
        guard let exchange, exchange.status == 200 else { return }
        successes += 1
        if let idToken = exchange.json["idToken"]?.string { citizens[index].idTokens.append(idToken) }
        if deed == .signUpAnonymously, let id = exchange.json["localId"]?.string { anonymous.insert(id) }
    }

    private mutating func perform(_ deed: Deed, by citizen: Citizen, naming email: String) async throws -> Exchange? {
        let idToken = citizen.idTokens.randomElement(using: &random)
        switch deed {
        case .signUp:
            return try await gateway.post(
                "/v1/accounts:signUp", ["email": .string(email), "password": .string(citizen.password)])
        case .signUpAnonymously: return try await gateway.post("/v1/accounts:signUp")
        case .signIn: return try await gateway.signIn(email: email, password: citizen.password)
        case .apple: return try await gateway.signIn(gateway.apple(citizen.person))
        case .google: return try await gateway.signIn(gateway.google(citizen.person))
        case .reset:
            guard try await gateway.sendCode("PASSWORD_RESET", ["email": .string(citizen.mailbox)]).status == 200 else {
                return nil
            }
            return try await gateway.reset(gateway.code(.resetPassword), citizen.password)
        case .openLink:
            return try await gateway.signInWithLink(
                citizen.mailbox, gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(citizen.mailbox)]))
        case .recover:
            let emails = try await gateway.emails(.emailChanged).filter { $0.recipient == citizen.mailbox }
            guard let code = emails.randomElement(using: &random)?.content.code else { return nil }
            return try await gateway.apply(code)
        default:
            guard let idToken else { return nil }
            return try await change(deed, by: citizen, naming: email, idToken)
        }
    }

    private func change(
        _ deed: Deed, by citizen: Citizen, naming email: String, _ idToken: String
    ) async throws -> Exchange? {
        let session: [String: JSON] = ["idToken": .string(idToken)]
        switch deed {
        case .linkApple: return try await gateway.link(gateway.apple(citizen.person), to: idToken)
        case .linkGoogle: return try await gateway.link(gateway.google(citizen.person), to: idToken)
        case .unlink:
            return try await gateway.post(
                "/v1/accounts:unlink",
                [
                    "idToken": .string(idToken),
                    "deleteProvider": email == citizen.mailbox ? ["password"] : ["google.com"],
                ])
        case .changeEmail: return try await gateway.update(idToken, ["email": .string(email)])
        case .changePassword: return try await gateway.update(idToken, ["password": .string(citizen.password)])
        case .verify:
            guard try await gateway.sendCode("VERIFY_EMAIL", session).status == 200,
                let email = try await gateway.emails(.verifyEmail).last, email.recipient == citizen.mailbox
            else { return nil }
            return try await gateway.apply(try #require(email.content.code))
        case .verifyAndChange:
            let input = session.merging(["newEmail": .string(citizen.mailbox)]) { $1 }
            let asked = try await gateway.sendCode("VERIFY_AND_CHANGE_EMAIL", input)
            return asked.status == 200 ? try await gateway.apply(gateway.code(.changeEmail)) : asked
        case .linkMailbox:
            return try await gateway.signInWithLink(
                citizen.mailbox, gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(citizen.mailbox)]), session)
        case .merge:
            guard let pending = try await gateway.link(gateway.google(citizen.person), to: idToken).pendingToken else {
                return nil
            }
            let preview = try await gateway.post(
                "/v1/accounts:merge", ["idToken": .string(idToken), "dryRun": true, "pendingToken": .string(pending)])
            guard let token = preview.json["mergeToken"] else { return preview }
            return try await gateway.post("/v1/accounts:merge", ["idToken": .string(idToken), "mergeToken": token])
        default: return try await gateway.delete(idToken)
        }
    }

    /// The invariants.
    func faults() async throws -> [String] {
        var faults: [String] = []
        for citizen in citizens {
            for idToken in citizen.idTokens.suffix(6) {
                let exchange = try await gateway.lookup(idToken)
                guard let account = exchange.json["users"]?[0], account["emailVerified"] == true,
                    account["email"]?.string != citizen.mailbox
                else { continue }
                faults.append("\(citizen.mailbox) is in the account of \(account["email"]?.string ?? "")")
            }
        }
        let shutOut = try await gateway.database.pool.query(
            """
            SELECT a.id FROM account a WHERE a.password_hash IS NULL AND a.phone_number IS NULL AND NOT a.custom_auth
                AND NOT a.email_link_sign_in AND NOT a.email_verified
                AND NOT EXISTS (SELECT FROM linked_identity l WHERE l.project_id = a.project_id AND l.account_id = a.id)
            """)
        for row in shutOut {
            let id: String = try row.decode("id")
            if !anonymous.contains(id) { faults.append("\(id) has no sign-in method") }
        }
        return faults
    }
}
