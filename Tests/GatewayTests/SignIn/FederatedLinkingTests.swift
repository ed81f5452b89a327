import Encoding
import Identity
import JSON
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// `appleCredential()` is Ada's (ada.lovelace@example.com), and `googleCredential()` is Mary's.
@Suite("Linking an identity")
struct FederatedLinkingTests {
    @Test("Linking keeps the ID of an anonymous account, and the account gets the identity's address")
    func anonymous() async throws {
        let gateway = try await TestGateway()
        let anonymous = try await gateway.signUpAnonymously()
        let linked = try await gateway.link(gateway.appleCredential(), to: anonymous.idToken)
        #expect(linked.json["localId"]?.string == anonymous.localId, "\(linked.text)")
        #expect(linked.json["isNewUser"] == nil)
        let account = try await gateway.accountSeenByUser(try #require(linked.json["idToken"]?.string))
        #expect(account["email"] == "ada.lovelace@example.com")
        #expect(account["emailVerified"] == true)
        #expect(try await gateway.signIn(gateway.appleCredential()).json["localId"]?.string == anonymous.localId)
    }

    @Test("Either provider signs in to the same account after linking")
    func both() async throws {
        let gateway = try await TestGateway()
        let apple = try await gateway.signIn(gateway.appleCredential())
        let linked = try await gateway.link(gateway.googleCredential(), to: try #require(apple.json["idToken"]?.string))
        #expect(linked.json["localId"] == apple.json["localId"], "\(linked.text)")
        #expect(try await gateway.signIn(gateway.googleCredential()).json["localId"] == apple.json["localId"])
        #expect(try await gateway.signIn(gateway.appleCredential()).json["localId"] == apple.json["localId"])
        let account = try await gateway.accountSeenByUser(try #require(linked.json["idToken"]?.string))
        #expect(account["email"] == "ada.lovelace@example.com")
    }

    struct Conflict: CustomTestStringConvertible {
        let testDescription: String
        /// The wire's error code.
        let code: String
        /// Creates the accounts. Returns the caller's ID token, and the credential that the caller tries to link.
        let prepare: @Sendable (TestGateway) async throws -> (idToken: String, credential: ProviderCredential)
    }

    static let conflicts = [
        Conflict(testDescription: "the identity belongs to another account", code: "FEDERATED_USER_ID_ALREADY_LINKED") {
            gateway in
            _ = try await gateway.signIn(gateway.appleCredential())
            return (try await gateway.signUpAnonymously().idToken, try gateway.appleCredential())
        },
        Conflict(testDescription: "the account has another identity of that provider", code: "PROVIDER_ALREADY_LINKED")
        {
            gateway in
            let first = try await gateway.signIn(gateway.appleCredential())
            return (try #require(first.json["idToken"]?.string), try gateway.appleCredential(.grace))
        },
        Conflict(testDescription: "another account has the address", code: "EMAIL_EXISTS") { gateway in
            _ = try await gateway.signUp(email: "ada.lovelace@example.com")
            return (try await gateway.signUpAnonymously().idToken, try gateway.appleCredential())
        },
    ]

    @Test("A conflict is rejected with a pending token in the error", arguments: conflicts)
    func conflict(row: Conflict) async throws {
        let gateway = try await TestGateway()
        let (idToken, credential) = try await row.prepare(gateway)
        let refused = try await gateway.link(credential, to: idToken)
        #expect(refused.outcome == "400 \(row.code)")
        #expect(refused.json["error"]?["details"]?[0]?["reason"]?.string == row.code)
        #expect(refused.pendingToken != nil)
    }

    @Test(
        "Clients that request the credential get status 200 for a conflict, if Firebase's SDKs know the error code",
        arguments: conflicts)
    func returned(row: Conflict) async throws {
        let gateway = try await TestGateway()
        let (idToken, credential) = try await row.prepare(gateway)
        let refused = try await gateway.link(credential, to: idToken, ["returnIdpCredential": true])
        guard row.code != "PROVIDER_ALREADY_LINKED" else {
            #expect(refused.outcome == "400 \(row.code)", "Firebase's SDKs do not know this code")
            return
        }
        #expect(refused.status == 200)
        #expect(refused.json["errorMessage"]?.string == row.code)
        #expect(refused.json["oauthIdToken"]?.string == credential.idToken)
        #expect(refused.pendingToken != nil)
        for absent in ["localId", "idToken", "refreshToken"] { #expect(refused.json[absent] == nil) }
    }

    @Test("A pending token for a taken identity signs in once, and the original credential cannot be used again")
    func pending() async throws {
        let gateway = try await TestGateway()
        let (idToken, credential) = try await Self.conflicts[0].prepare(gateway)
        let pending = try #require(try await gateway.link(credential, to: idToken).pendingToken)
        let signedIn = try await gateway.signInWithIdp(["pendingToken": .string(pending)])
        #expect(signedIn.json["idToken"] != nil, "\(signedIn.text)")
        #expect(
            try await gateway.signInWithIdp(["pendingToken": .string(pending)]).outcome.hasPrefix(
                "400 INVALID_PENDING_TOKEN"))
        #expect(try await gateway.signIn(credential).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }

    @Test("A rejected link returns another pending token with the same expiry, and only one of the tokens can be used")
    func refusedAgain() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.googleCredential())
        let caller = try await gateway.signUpAnonymously()
        let first = try #require(try await gateway.link(gateway.googleCredential(), to: caller.idToken).pendingToken)
        // A pending token expires 1800 seconds after the first one was issued.
        gateway.clock.advance(by: .seconds(1000))
        func again() async throws -> String {
            let body: [String: JSON] = ["pendingToken": .string(first), "idToken": .string(caller.idToken)]
            return try #require(try await gateway.signInWithIdp(body).pendingToken)
        }
        let (second, third) = (try await again(), try await again())
        #expect(try await gateway.signInWithIdp(["pendingToken": .string(first)]).status == 200)
        #expect(
            try await gateway.signInWithIdp(["pendingToken": .string(second)]).outcome
                == "400 INVALID_PENDING_TOKEN : The pending token or merge token was already used.")
        gateway.clock.advance(by: .seconds(801))
        #expect(
            try await gateway.signInWithIdp(["pendingToken": .string(third)]).outcome == "400 INVALID_PENDING_TOKEN")
    }

    @Test("An identity whose provider is not authoritative for its address needs the owner's confirmation")
    func confirmation() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let owner = try await gateway.signUp(email: "mary@company.example", password: "long enough")
        let credential = try gateway.googleCredential(.mary.with { $0.email = "mary@company.example" })
        let unconfirmed = try await gateway.signIn(credential)
        #expect(unconfirmed.json["needConfirmation"] == true, "\(unconfirmed.text)")
        #expect(unconfirmed.json["verifiedProvider"]?[0] == "password")
        #expect(unconfirmed.json["localId"]?.string == owner.localId)
        for absent in ["idToken", "refreshToken", "expiresIn"] { #expect(unconfirmed.json[absent] == nil) }
        let pending = try #require(unconfirmed.pendingToken)
        let anonymous = try await gateway.signUpAnonymously()
        for body: [String: JSON] in [[:], ["idToken": .string(anonymous.idToken)]] {
            let misused = try await gateway.signInWithIdp(body.merging(["pendingToken": .string(pending)]) { $1 })
            #expect(misused.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"), "\(body)")
        }
        let linked = try await gateway.signInWithIdp([
            "pendingToken": .string(pending), "idToken": .string(owner.idToken),
        ])
        #expect(linked.json["localId"]?.string == owner.localId, "\(linked.text)")
        #expect(try await gateway.signIn(credential).json["localId"]?.string == owner.localId)
    }

    @Test("An identity cannot be confirmed after 30 minutes, or after a change of the account's password")
    func late() async throws {
        for changesPassword in [true, false] {
            let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
            var owner = try await gateway.signUp(email: "mary@company.example", password: "long enough")
            let credential = try gateway.googleCredential(.mary.with { $0.email = "mary@company.example" })
            let pending = try #require(try await gateway.signIn(credential).pendingToken)
            if changesPassword {
                owner = try TestGateway.Tokens(await gateway.update(owner.idToken, ["password": "long enough too"]))
            } else {
                gateway.clock.advance(by: .seconds(1801))
            }
            let tooLate = try await gateway.signInWithIdp([
                "pendingToken": .string(pending), "idToken": .string(owner.idToken),
            ])
            #expect(tooLate.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"), "\(tooLate.text)")
        }
    }

    @Test("If the project allows duplicate addresses, a sign-in creates a second account without the address")
    func duplicates() async throws {
        let gateway = try await TestGateway { $0.allowsDuplicateEmails = true }
        let first = try await gateway.signUp(email: "ada.lovelace@example.com")
        let second = try await gateway.signIn(gateway.appleCredential())
        #expect(second.json["localId"]?.string != first.localId)
        #expect(try await gateway.accountSeenByUser(try #require(second.json["idToken"]?.string))["email"] == nil)
    }

    @Test(
        "If the project allows duplicate addresses, linking does not set an address that another account has",
        arguments: [true, false])
    func heldAddress(callerHasAddress: Bool) async throws {
        let gateway = try await TestGateway {
            $0.allowsDuplicateEmails = true
            $0.emailEnumerationProtection = false
        }
        let owner = try await gateway.signUp(email: "ada.lovelace@example.com")
        let caller =
            callerHasAddress
            ? try await gateway.signUp(email: "own@example.com") : try await gateway.signUpAnonymously()
        let linked = try await gateway.link(gateway.appleCredential(), to: caller.idToken)
        #expect(linked.json["localId"]?.string == caller.localId, "\(linked.text)")
        let account = try await gateway.accountSeenByUser(try TestGateway.Tokens(linked).idToken)
        #expect(account["email"]?.string == (callerHasAddress ? "own@example.com" : nil))
        #expect(account["emailVerified"] != true)
        #expect(try await gateway.accountSeenByUser(owner.idToken)["email"] == "ada.lovelace@example.com")
        #expect(try await gateway.signIn(gateway.appleCredential()).json["localId"]?.string == caller.localId)
    }

    struct DisclosureRow: CustomTestStringConvertible {
        /// Whether the project has email enumeration protection.
        let isProtected: Bool
        /// Whether the provider has verified the address of the new identity.
        let isVerified: Bool
        /// Whether the owner's account already has an identity of the same provider with this address.
        let isRecycled: Bool

        var testDescription: String {
            "enumeration protection: \(isProtected), verified by the provider: \(isVerified), recycled: \(isRecycled)"
        }
        var revealsOwner: Bool { !isProtected || isVerified }
    }

    @Test(
        "A response with needConfirmation names the owner, except for an unverified address in a protected project",
        arguments: [true, false].flatMap { isProtected in
            [true, false].flatMap { isVerified in
                [true, false].map { DisclosureRow(isProtected: isProtected, isVerified: isVerified, isRecycled: $0) }
            }
        })
    func disclosure(row: DisclosureRow) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = row.isProtected }
        let email = "mary@company.example"
        let owner =
            row.isRecycled
            ? try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(.mary.with { $0.email = email })))
            : try await gateway.signUp(email: email, password: "long enough")
        let credential = try gateway.googleCredential(.named("Mary", "Newcomer")) {
            $0.claims["email"] = .string(email)
            $0.claims["email_verified"] = .bool(row.isVerified)
        }
        let unconfirmed = try await gateway.signIn(credential)
        #expect(unconfirmed.json["needConfirmation"] == true, "\(unconfirmed.text)")
        #expect(unconfirmed.json["localId"]?.string == (row.revealsOwner ? owner.localId : nil))
        #expect((unconfirmed.json["verifiedProvider"] != nil) == row.revealsOwner)
        #expect((unconfirmed.json["emailRecycled"] != nil) == (row.revealsOwner && row.isRecycled))
        let pending = try #require(unconfirmed.pendingToken)
        let linked = try await gateway.signInWithIdp([
            "pendingToken": .string(pending), "idToken": .string(owner.idToken),
        ])
        #expect(linked.outcome == (row.isRecycled ? "400 PROVIDER_ALREADY_LINKED" : "200"))
    }
}
