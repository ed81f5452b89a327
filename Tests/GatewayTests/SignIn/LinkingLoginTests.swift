import Encoding
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Linking and recent logins")
struct LinkingLoginTests {
    /// One second more than the maximum age of a recent login.
    private static let overMaximumAge: Duration = .seconds(301)
    private static let tooOld = "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"

    struct Change: CustomTestStringConvertible {
        let testDescription: String
        var unlinksGoogle = false
        /// Changes the account of the ID token.
        let perform: @Sendable (TestGateway, _ idToken: String) async throws -> Exchange
    }

    private static let linkIdentity = Change(testDescription: "link an identity") {
        try await $0.link($0.googleCredential(), to: $1)
    }

    private static let linkMailbox = Change(testDescription: "link an email address") {
        let code = try await $0.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
        return try await $0.signInWithEmailLink("ada@example.com", code, ["idToken": .string($1)])
    }

    private static let unlink = Change(testDescription: "unlink", unlinksGoogle: true) {
        try await $0.post("/v1/accounts:unlink", ["idToken": .string($1), "deleteProvider": ["google.com"]])
    }

    private static let unlinkByUpdate = Change(testDescription: "unlink by accounts:update", unlinksGoogle: true) {
        try await $0.update($1, ["deleteProvider": ["google.com"]])
    }

    static let changes = [linkIdentity, linkMailbox, unlink, unlinkByUpdate]

    /// Signs in to a new account without an address. The account has an Apple identity, and a Google identity if
    /// `change` unlinks one.
    private static func login(
        _ gateway: TestGateway, before change: Change
    ) async throws -> TestGateway.Tokens {
        let first = try TestGateway.Tokens(await gateway.signIn(appleWithoutEmail(gateway)))
        guard change.unlinksGoogle else { return first }
        let google = try gateway.googleCredential { $0.claims["email"] = nil }
        return try TestGateway.Tokens(await gateway.link(google, to: first.idToken))
    }

    private static func appleWithoutEmail(_ gateway: TestGateway) throws -> ProviderCredential {
        try gateway.appleCredential { $0.claims["email"] = nil }
    }

    @Test(
        "Profile sekisho rejects a change after an old login, and accepts it after a new sign-in with an identity",
        arguments: changes
    )
    func recentLoginMaxAge(change: Change) async throws {
        let gateway = try await TestGateway(.sekisho)
        let login = try await Self.login(gateway, before: change)
        gateway.clock.advance(by: Self.overMaximumAge)
        let before = try await gateway.accountsAsStored()
        #expect(try await change.perform(gateway, login.idToken).outcome == Self.tooOld)
        let refreshed = try #require(try await gateway.refresh(login.refreshToken).json["id_token"]?.string)
        #expect(try await change.perform(gateway, refreshed).outcome == Self.tooOld, "a refresh is not a login")
        #expect(try await gateway.accountsAsStored() == before)
        let again = try await gateway.signIn(Self.appleWithoutEmail(gateway), ["autoCreate": false])
        let changed = try await change.perform(gateway, try TestGateway.Tokens(again).idToken)
        #expect(changed.outcome == "200", "\(changed.text)")
    }

    @Test("An old login suffices in each profile if the policy requires no recent login", arguments: changes)
    func oldLogin(change: Change) async throws {
        for profile in Policy.Profile.allCases {
            let gateway = try await TestGateway(profile) { $0.requiresRecentLoginToLink = false }
            let login = try await Self.login(gateway, before: change)
            gateway.clock.advance(by: Self.overMaximumAge)
            #expect(try await change.perform(gateway, login.idToken).outcome == "200")
        }
    }

    @Test("An old login does not reveal the owner of an identity or an address")
    func noDisclosure() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        _ = try await gateway.signIn(gateway.googleCredential())
        _ = try await gateway.signUp(email: "grace.hopper@example.com", password: "long enough")
        let login = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        gateway.clock.advance(by: Self.overMaximumAge)
        let credentials = [
            try gateway.googleCredential(),  // belongs to another account
            try gateway.googleCredential(.named("Grace", "Hopper")),  // has the address of another account
            try gateway.appleCredential(.grace),  // is of a provider of which the account has an identity
            try gateway.googleCredential(.alan),  // could be linked
        ]
        for credential in credentials {
            let refused = try await gateway.link(credential, to: login.idToken)
            #expect(refused.outcome == Self.tooOld)
            #expect(refused.pendingToken == nil)
        }
        let forged = try gateway.googleCredential { $0.signature = .altered }
        #expect(try await gateway.link(forged, to: login.idToken).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }

    @Test("Linking the caller's own identity again renews the login", arguments: Policy.Profile.allCases)
    func reauthentication(profile: Policy.Profile) async throws {
        let gateway = try await TestGateway(profile)
        let login = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        gateway.clock.advance(by: Self.overMaximumAge)
        let again = try TestGateway.Tokens(await gateway.link(gateway.appleCredential(), to: login.idToken))
        #expect(try claims(of: again.idToken)["auth_time"] == .number(Double(gateway.clock.now.seconds)))
        #expect(try await gateway.link(gateway.googleCredential(), to: again.idToken).outcome == "200")
    }

    struct LoginTimeRow: CustomTestStringConvertible {
        let testDescription: String
        /// Whether the change counts as a login.
        let isLogin: Bool
        /// Creates the account and opens its first session.
        let begin: @Sendable (TestGateway) async throws -> Exchange
        let change: Change
    }

    static let loginTimes = [
        LoginTimeRow(
            testDescription: "linking an identity to an account with another identity is not a login", isLogin: false,
            begin: { try await $0.signIn($0.appleCredential()) }, change: linkIdentity),
        LoginTimeRow(
            testDescription: "an email link for an account with an identity is not a login", isLogin: false,
            begin: { try await $0.signIn(appleWithoutEmail($0)) }, change: linkMailbox),
        LoginTimeRow(
            testDescription: "linking an identity to an account with a password is not a login", isLogin: false,
            begin: { try await $0.post("/v1/accounts:signUp", ["email": "b@example.com", "password": "long enough"]) },
            change: linkIdentity),
        LoginTimeRow(
            testDescription: "an email link to the account's own address is a login", isLogin: true,
            begin: {
                try await $0.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "long enough"])
            },
            change: linkMailbox),
        LoginTimeRow(
            testDescription: "an email link to another address sets validSince, and is a login", isLogin: true,
            begin: { try await $0.post("/v1/accounts:signUp", ["email": "b@example.com", "password": "long enough"]) },
            change: linkMailbox),
        LoginTimeRow(
            testDescription: "linking an identity to an anonymous account is a login", isLogin: true,
            begin: { try await $0.post("/v1/accounts:signUp") }, change: linkIdentity),
        LoginTimeRow(
            testDescription: "an email link for an anonymous account is a login", isLogin: true,
            begin: { try await $0.post("/v1/accounts:signUp") }, change: linkMailbox),
        LoginTimeRow(
            testDescription: "setting the password of an anonymous account is a login", isLogin: true,
            begin: { try await $0.post("/v1/accounts:signUp") },
            change: Change(testDescription: "link a password") {
                try await $0.post(
                    "/v1/accounts:signUp",
                    ["idToken": .string($1), "email": "ada@example.com", "password": "long enough"])
            }),
    ]

    @Test("auth_time is the time of the latest login, and no token is older than validSince", arguments: loginTimes)
    func loginTime(row: LoginTimeRow) async throws {
        for profile in Policy.Profile.allCases {
            let gateway = try await TestGateway(profile) { $0.emailEnumerationProtection = false }
            let began = gateway.clock.now
            let first = try TestGateway.Tokens(await row.begin(gateway))
            gateway.clock.advance(by: .seconds(200))
            let linked = try TestGateway.Tokens(await row.change.perform(gateway, first.idToken))
            gateway.clock.advance(by: .seconds(50))
            let later = try #require(try await gateway.refresh(linked.refreshToken).json["id_token"]?.string)
            let expected = row.isLogin ? began + .seconds(200) : began
            let validSince = try #require(
                Double(try await gateway.accountSeenByUser(later)["validSince"]?.string ?? ""))
            for token in [linked.idToken, later] {
                let (login, issued) = (try claims(of: token)["auth_time"], try claims(of: token)["iat"])
                #expect(login == .number(Double(expected.seconds)))
                for case .number(let time)? in [login, issued] { #expect(time >= validSince) }
            }
        }
    }

    @Test("lastUsedAt of a new session is the time when it was opened, even if the session keeps an older auth_time")
    func lastUse() async throws {
        let gateway = try await TestGateway()
        let first = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        gateway.clock.advance(by: .seconds(200))
        let linked = try TestGateway.Tokens(await gateway.link(gateway.googleCredential(), to: first.idToken))
        let listed = try await gateway.post("/v1/accounts:listSessions", ["idToken": .string(linked.idToken)])
        // Both sessions have the same `auth_time`, which determines their order.
        guard case .array(let sessions)? = listed.json["sessions"] else { return }
        let own = try #require(sessions.first { $0["current"] == true }, "\(listed.text)")
        #expect(own["lastUsedAt"] == .string(gateway.clock.now.iso8601))
    }
}
