import FoundationEssentials
import HTTP
import Identity
import Synchronization
import Testing

@testable import Support

@Suite("The password policy")
struct PasswordPolicyTests {
    /// Requires ten characters, with at least one of each class.
    static let strict: @Sendable (inout Policy) -> Void = {
        $0.emailEnumerationProtection = false
        $0.minimumPasswordLength = 10
        $0.requiresLowercase = true
        $0.requiresUppercase = true
        $0.requiresDigit = true
        $0.requiresSymbol = true
    }

    @Test("Clients with an API key get the password policy in Firebase's format")
    func shape() async throws {
        let gateway = try await TestGateway(change: Self.strict)
        let answer = try await gateway.passwordPolicy()
        #expect(
            answer["customStrengthOptions"] == [
                "minPasswordLength": 10, "maxPasswordLength": 4096, "containsLowercaseCharacter": true,
                "containsUppercaseCharacter": true, "containsNumericCharacter": true,
                "containsNonAlphanumericCharacter": true,
            ])
        #expect(answer["enforcementState"] == "ENFORCE")
        #expect(answer["forceUpgradeOnSignin"] == false)
        #expect(answer["schemaVersion"] == 1)
        let lenient = try await TestGateway().passwordPolicy()
        #expect(lenient["customStrengthOptions"] == ["minPasswordLength": 6, "maxPasswordLength": 4096])
        #expect(try await gateway.getWithoutAPIKey("/v2/passwordPolicy").status == 403)
        let tenant = try await gateway.send(
            .get, "/v2/passwordPolicy", body: [], query: [("key", TestGateway.apiKey), ("tenantId", "t")])
        #expect(tenant.outcome == "400 INVALID_TENANT_ID")
    }

    @Test("The gateway and a client that checks the policy accept the same passwords")
    func agreement() async throws {
        let gateway = try await TestGateway(change: Self.strict)
        let client = try FirebaseClient(try await gateway.passwordPolicy())
        let passwords =
            [
                "Correct-77", "Correct-7", "correct-77", "CORRECT-77", "Correct-xx", "Correctx77", "Correct 77",
                "Correct§77", "ÉCORRECT-77é", "Écorrect-77", "Correct-٣٣", "Co-7😀😀😀", "Co-7😀😀", "\tCorrect-77",
                "Corre\u{301}c-7", "Ｃorrect-77",
            ] + Policy.passwordSymbols.map { "Correct\($0)77" }
        for (index, password) in passwords.enumerated() {
            let outcome = try await gateway.post(
                "/v1/accounts:signUp",
                ["email": .string("a\(index)@example.com"), "password": .string(password)]
            ).outcome
            #expect((outcome == "200") == client.accepts(password), "\(password): \(outcome)")
        }
    }

    static let unmetRequirements =
        "Password must contain an upper case character, Password must contain a numeric character"

    @Test("A rejection lists the unmet requirements, or is WEAK_PASSWORD if the policy has only a minimum length")
    func refusals() async throws {
        let gateway = try await TestGateway(change: Self.strict)
        let many = try await gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "correct-horse"])
        #expect(
            many.outcome
                == "400 PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [\(Self.unmetRequirements)]"
        )
        let short = try await gateway.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "aB3!"])
        #expect(
            short.outcome
                == "400 PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at least 10 characters]"
        )
        let lenient = try await TestGateway { $0.minimumPasswordLength = 10 }.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "aB3!"])
        #expect(lenient.outcome == "400 WEAK_PASSWORD : Password should be at least 10 characters")
        // 2049 × 2 bytes in UTF-8, two more than the limit.
        let long = try await gateway.post(
            "/v1/accounts:signUp",
            ["email": "ada@example.com", "password": .string(String(repeating: "é", count: 2049))])
        #expect(long.outcome.hasPrefix("400 Invalid JSON payload received. /password must not be longer than 4096"))
    }

    @Test("Passwords are compared exactly, and neither trimmed nor normalized")
    func unchanged() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(password: " sécret ")
        #expect(try await gateway.signIn(password: " sécret ").outcome == "200")
        for other in ["sécret", " sécret", " se\u{301}cret ", " SÉCRET "] {
            #expect(try await gateway.signIn(password: other).outcome == "400 INVALID_PASSWORD", "\(other)")
        }
    }
}

@Suite("Breached passwords")
struct BreachedPasswordTests {
    static let refusal =
        "400 PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must not have appeared in a data breach]"

    @Test("Sign-up, update, reset and administrators' changes reject breached passwords; imports accept them")
    func rejectingOperations() async throws {
        let breaches = RecordedBreaches(["breached"])
        let gateway = try await TestGateway(breaches: breaches.list) {
            $0.emailEnumerationProtection = false
            $0.rejectsBreachedPasswords = true
        }
        try await gateway.makeServiceKey()
        let ada = try await gateway.signUp(password: "good enough")
        let anonymous = try await gateway.post("/v1/accounts:signUp")
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let new: [String: JSON] = ["email": "b@example.com", "password": "breached"]
        let rejected = [
            try await gateway.post("/v1/accounts:signUp", .object(new)),
            try await gateway.post(
                "/v1/accounts:signUp",
                .object(new.merging(["idToken": try #require(anonymous.json["idToken"])]) { $1 })),
            try await gateway.update(ada.idToken, ["password": "breached"]),
            try await gateway.resetPassword(code, "breached"),
            try await gateway.createAccountAsAdmin(.object(new)),
            try await gateway.administerAccounts(":update", ["localId": .string(ada.localId), "password": "breached"]),
        ]
        #expect(rejected.map(\.outcome) == Array(repeating: Self.refusal, count: rejected.count))
        #expect(breaches.lookups == ["good enough"] + Array(repeating: "breached", count: rejected.count))

        let imported = try await gateway.administerAccounts(
            ":batchCreate",
            ["users": [["localId": "old", "email": "old@example.com", "rawPassword": "breached"]]])
        #expect(imported.outcome == "200")
        #expect(try await gateway.signIn(email: "old@example.com", password: "breached").outcome == "200")
        #expect(
            breaches.lookups.count == 1 + rejected.count, "neither the import nor the sign-in looks up the password")
        #expect(try await gateway.resetPassword(code, "better than that").outcome == "200", "the code is still valid")
    }

    @Test("A password is looked up only if the policy rejects breached passwords and the other requirements are met")
    func order() async throws {
        let breaches = RecordedBreaches(["breached"])
        let withoutPolicy = try await TestGateway(breaches: breaches.list)
        _ = try await withoutPolicy.signUp(password: "breached")
        let strict = try await TestGateway(breaches: breaches.list) {
            $0.rejectsBreachedPasswords = true
            $0.requiresDigit = true
        }
        let refused = try await strict.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "breached"])
        #expect(refused.outcome.contains("[Password must contain a numeric character]"))
        #expect(breaches.lookups.isEmpty)
    }
}

/// Checks a password against a gateway's response as Firebase's web client does, in UTF-16 code units.
private struct FirebaseClient: Decodable {
    struct Options: Decodable {
        let minPasswordLength: Int
        let maxPasswordLength: Int
        let containsLowercaseCharacter: Bool?
        let containsUppercaseCharacter: Bool?
        let containsNumericCharacter: Bool?
        let containsNonAlphanumericCharacter: Bool?
    }

    let customStrengthOptions: Options
    let allowedNonAlphanumericCharacters: [String]

    init(_ answer: JSON) throws { self = try JSONDecoder().decode(Self.self, from: Data(try answer.bytes)) }

    func accepts(_ password: String) -> Bool {
        let options = customStrengthOptions
        let classes = [
            (options.containsLowercaseCharacter, "abcdefghijklmnopqrstuvwxyz"),
            (options.containsUppercaseCharacter, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            (options.containsNumericCharacter, "0123456789"),
            (options.containsNonAlphanumericCharacter, allowedNonAlphanumericCharacters.joined()),
        ]
        return (options.minPasswordLength...options.maxPasswordLength).contains(password.utf16.count)
            && classes.allSatisfy { $0 != true || !Set($1.utf16).isDisjoint(with: password.utf16) }
    }
}

/// A list of breached passwords, which records each password that is looked up.
private final class RecordedBreaches: Sendable {
    private let known: Set<String>
    private let record = Mutex<[String]>([])

    init(_ known: Set<String>) {
        self.known = known
    }

    var lookups: [String] { record.withLock { $0 } }
    var list: BreachedPasswords {
        BreachedPasswords { [self] password in
            record.withLock { $0.append(password.expose()) }
            return known.contains(password.expose())
        }
    }
}

extension TestGateway {
    fileprivate func passwordPolicy() async throws -> JSON {
        let answer = try await send(.get, "/v2/passwordPolicy", body: [], query: [("key", Self.apiKey)])
        #expect(answer.outcome == "200")
        return answer.json
    }
}
