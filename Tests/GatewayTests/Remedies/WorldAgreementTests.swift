import Crypto
import Encoding
import HTTP
import JSON
import Postgres
import Simulators
import Testing

@testable import Identity
@testable import Support

/// Takes random sequences of steps in a ``World`` and at a gateway, and compares both after each step.
@Suite("The model of the exhaustive search and the store")
struct WorldAgreementTests {
    @Test("Model and store agree after each step of a random sequence", arguments: 0..<40)
    func agreement(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        var replica = try await GatewayWorld()
        var world = World().canonical()
        var history: [World.Step] = []
        for _ in 0..<10 {
            let candidates = world.steps.filter { replica.canTake($0, in: world) && world.after($0) != world }
            guard let step = candidates.randomElement(using: &random) else { return }
            let after = world.after(step)
            history.append(step)
            try await replica.take(step, from: world, to: after)
            world = after
            let (stored, modelled) = (try await replica.description(), try replica.description(of: world))
            #expect(stored == modelled, "\(history)")
            guard stored == modelled else { return }
        }
    }
}

/// A gateway at which the steps of a ``World`` are taken.
private struct GatewayWorld {
    static let password = "known to eve"

    let gateway: TestGateway
    /// The `localId` of each account of the world.
    private var localIDs: [Int: String] = [:]
    /// The intruder's latest session in each account.
    private var tokens: [Int: TestGateway.Tokens] = [:]
    /// The intruder's authenticator app of each account in which the intruder has enrolled one.
    private var apps: [Int: AuthenticatorApp] = [:]
    /// The secrets of all codes in emails. The deletion of an account also deletes queued emails.
    private var secrets: Set<String> = []

    init() async throws {
        gateway = try await TestGateway(.sekisho) {
            $0.emailEnumerationProtection = false
            $0.secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true)
            // The clock advances by a minute for each one-time password.
            $0.recentLoginMaxAge = .seconds(86_400)
        }
    }

    /// Whether the step can be taken at the gateway: only a session can request the email that the owner confirms.
    func canTake(_ step: World.Step, in world: World) -> Bool {
        guard case .ownerConfirmsAddress(let id) = step else { return true }
        return world.sessions.contains(id) && world.member(id)?.mailbox == .owner
    }

    mutating func take(_ step: World.Step, from before: World, to after: World) async throws {
        gateway.clock.advance(by: .seconds(1))
        let sent = try await send(step, in: before)
        let response = try await finish(sent)
        if let created = after.members.first(where: { localIDs[$0.id] == nil }) {
            localIDs[created.id] =
                if let localId = response?.json["localId"]?.string { localId } else {
                    try await holder(created.mailbox)
                }
        }
        try keepTokens(of: response, in: after)
        for content in try await gateway.emails().map(\.content) {
            secrets.formUnion([content.code].compactMap(\.self) + (content.removals ?? []).map(\.code))
        }
        for member in after.members where after.sessions.contains(member.id) { try await signIn(to: member, in: after) }
    }

    private mutating func keepTokens(of response: Exchange?, in world: World) throws {
        guard let response, let refreshToken = response.json["refreshToken"]?.string,
            let idToken = response.json["idToken"]?.string
        else { return }
        // The response to a second factor has no `localId`.
        let tokens = TestGateway.Tokens(
            localId: try #require(try claims(of: idToken)["sub"]?.string), idToken: idToken, refreshToken: refreshToken)
        guard let id = localIDs.first(where: { $0.value == tokens.localId })?.key, world.sessions.contains(id) else {
            return
        }
        self.tokens[id] = tokens
    }

    /// Signs in to an account in which the intruder has a session in the world, if the session does not work.
    private mutating func signIn(to member: World.Member, in world: World) async throws {
        if let tokens = tokens[member.id], try await gateway.lookup(tokens.idToken).status == 200 { return }
        if let person = member.identities.map(\.person).first(where: \.isIntruder) {
            try keepTokens(of: try await finish(gateway.signIn(credential(person))), in: world)
        } else if let mailbox = member.mailbox, member.passwordIsKnown {
            try keepTokens(
                of: try await finish(gateway.signIn(email: mailbox.text, password: Self.password)), in: world)
        }
    }

    /// Proves the second factor if the response asks for one and the intruder has it.
    private func finish(_ response: Exchange?) async throws -> Exchange? {
        guard let response, response.json["mfaPendingCredential"] != nil,
            let id = localIDs.first(where: { $0.value == response.json["localId"]?.string })?.key, let app = apps[id]
        else { return response }
        gateway.clock.advance(by: .seconds(30))
        let factor = try #require(response.json["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string)
        return try await gateway.finalizeSignIn(response, factor, app.code(at: gateway.clock.now))
    }

    private mutating func enrolFactor(in id: Int) async throws {
        gateway.clock.advance(by: .seconds(30))
        let enrolled = try await gateway.enrol(try #require(tokens[id]))
        apps[id] = enrolled.app
        tokens[id] = TestGateway.Tokens(
            localId: enrolled.localId, idToken: enrolled.idToken, refreshToken: enrolled.refreshToken)
    }

    private mutating func send(_ step: World.Step, in world: World) async throws -> Exchange? {
        switch step {
        case .enrollFactor(let id):
            try await enrolFactor(in: id)
            return nil
        case .signUp(let mailbox):
            return try await gateway.post(
                "/v1/accounts:signUp", ["email": .string(mailbox.text), "password": .string(Self.password)])
        case .present(let person), .ownerPresents(let person): return try await gateway.signIn(credential(person))
        case .link(let person, let id): return try await gateway.link(credential(person), to: idToken(id))
        case .unlink(let provider, let id):
            return try await gateway.post(
                "/v1/accounts:unlink",
                ["idToken": .string(try idToken(id)), "deleteProvider": [.string(provider.rawValue)]])
        case .setPassword(let id): return try await gateway.update(idToken(id), ["password": .string(Self.password)])
        case .changeAddress(let id, let mailbox):
            return try await gateway.update(idToken(id), ["email": .string(mailbox.text)])
        case .confirmOwnAddress(let id), .ownerConfirmsAddress(let id):
            let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(try idToken(id))])
            _ = try await gateway.applyCode(code)
            return nil
        case .disavowOwnAddress(let id):
            try await submitConfirmation(of: id, ["step": "disavow"])
            return nil
        case .disownIdentities(let id):
            let providers = world.member(id)?.identities.map(\.person.provider.rawValue) ?? []
            try await submitConfirmation(
                of: id, Dictionary(uniqueKeysWithValues: providers.map { ("remove.\($0)", "on") }))
            return nil
        case .createOwnAccount(let id):
            try await submitConfirmation(of: id, ["step": "createAccount"], setting: Self.password)
            return nil
        case .openOwnEmailLink(let id):
            return try await openEmailLink(.intruder, try id.map { ["idToken": .string(try idToken($0))] } ?? [:])
        case .ownerOpensEmailLink: return try await openEmailLink(.owner, [:])
        case .resetOwnPassword:
            let code = try await gateway.requestedCode(
                "PASSWORD_RESET", ["email": .string(World.Mailbox.intruder.text)])
            _ = try await gateway.resetPassword(code, Self.password)
            return nil
        case .merge(let source, let target):
            let body: [String: JSON] = [
                "idToken": .string(try idToken(source)), "targetIdToken": .string(try idToken(target)),
            ]
            let preview = try await gateway.post("/v1/accounts:merge", .object(body.merging(["dryRun": true]) { $1 }))
            return try await gateway.post(
                "/v1/accounts:merge",
                .object(["idToken": body["idToken"] ?? .null, "mergeToken": preview.json["mergeToken"] ?? .null]))
        case .delete(let id): return try await gateway.delete(idToken(id))
        case .useRemedy(let code):
            let page = try await gateway.submitActionPage(try await secret(of: code, in: world))
            if let next = page.formCode {
                _ = try await gateway.submitActionPage(next, ["newPassword": Self.password])
            }
            return nil
        }
    }

    /// Submits the page that confirms the address of an account.
    ///
    /// - Parameter password: the new password; `nil` to leave the page that asks for it.
    private func submitConfirmation(
        of id: Int, _ fields: [String: String], setting password: String? = nil
    ) async throws {
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(try idToken(id))])
        let page = try await gateway.submitActionPage(code, fields)
        guard let password, let next = page.formCode else { return }
        _ = try await gateway.submitActionPage(next, ["newPassword": password])
    }

    /// The account that has the address of the mailbox.
    private func holder(_ mailbox: World.Mailbox?) async throws -> String? {
        try await gateway.database.pool.query("SELECT id FROM account WHERE email = \(mailbox?.text)").first?
            .decode("id")
    }

    private func idToken(_ id: Int) throws -> String { try #require(tokens[id]).idToken }

    private func openEmailLink(_ mailbox: World.Mailbox, _ members: [String: JSON]) async throws -> Exchange {
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(mailbox.text)])
        return try await gateway.signInWithEmailLink(mailbox.text, code, members)
    }

    private func credential(_ person: World.Person) throws -> ProviderCredential {
        let simulated = SimulatedPerson.named(person.subject, "Person")
        func setEmail(_ draft: inout TokenDraft) {
            draft.claims["email"] = person.mailbox.map { .string($0.text) }
            draft.claims["email_verified"] = .bool(person.trust != .none)
        }
        return person.provider == .apple
            ? try gateway.appleCredential(simulated, change: setEmail)
            : try gateway.googleCredential(simulated, change: setEmail)
    }

    /// The secret of a code of the world: that of the stored code with the same members and the same place in their
    /// order.
    private func secret(of code: World.Code, in world: World) async throws -> String {
        let alike = world.codes.filter {
            world.stored($0).purpose == world.stored(code).purpose && $0.account == code.account
                && $0.mailbox == code.mailbox
        }.sorted { ($0.createdAt, $0.addedAt) < ($1.createdAt, $1.addedAt) }
        let place = try #require(alike.firstIndex(of: code))
        let hashes = try await gateway.database.pool.query(
            """
            SELECT hash FROM oob_code WHERE purpose = \(world.stored(code).purpose.rawValue) AND email = \(code.mailbox.text)
                AND account_id = \(localIDs[code.account]) ORDER BY created_at, added_at
            """
        ).map { try $0.decode("hash", as: [UInt8].self) }
        try #require(place < hashes.count)
        return try #require(secrets.first { Digest.sha256(Array($0.utf8)) == hashes[place] })
    }
}

extension GatewayWorld {
    /// What the database stores of each account and code, and in which accounts the intruder's session works.
    func description() async throws -> [String] {
        let rows = try await gateway.database.pool.query(
            """
            SELECT concat_ws(' ', id, coalesce(email, '-'), email_verified, password_hash IS NOT NULL, email_link_sign_in,
                factor_count > 0, (SELECT string_agg(provider || ':' || coalesce(l.email, '-') || ':' || email_trust, ','
                    ORDER BY provider) FROM linked_identity l WHERE account_id = a.id)) AS line FROM account a
            UNION ALL SELECT concat_ws(' ', purpose, account_id, email) FROM oob_code
            WHERE purpose IN
                ('RECOVER_EMAIL', 'REMOVE_SIGN_IN_METHOD', 'REVERT_SECOND_FACTOR_ADDITION', 'UNDO_MERGE')
            """
        ).map { try $0.decode("line", as: String.self) }
        var sessions: [String] = []
        for (id, tokens) in tokens where try await gateway.lookup(tokens.idToken).status == 200 {
            sessions.append("session \(localIDs[id] ?? "")")
        }
        return (rows + sessions).sorted()
    }

    func description(of world: World) throws -> [String] {
        let members = world.members.map { member in
            let identities = member.identities.sorted { $0.person.provider.rawValue < $1.person.provider.rawValue }
                .map { "\($0.person.provider.rawValue):\($0.person.mailbox?.text ?? "-"):\($0.person.trust)" }
            let flags = [
                member.isVerified, member.passwordTime != nil, member.usesEmailLinks, member.factorTime != nil,
            ].map { $0 ? "t" : "f" }
            return
                ([localIDs[member.id] ?? "", member.mailbox?.text ?? "-"] + flags
                + (identities.isEmpty ? [] : [identities.joined(separator: ",")])).joined(separator: " ")
        }
        let codes = world.codes.map { code in
            [world.stored(code).purpose.rawValue, localIDs[code.account] ?? "", code.mailbox.text]
                .joined(separator: " ")
        }
        return (members + codes + world.sessions.map { "session \(localIDs[$0] ?? "")" }).sorted()
    }
}
