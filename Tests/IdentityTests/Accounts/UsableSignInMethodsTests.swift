import Encoding
import Providers
import Testing

@testable import Identity

@Suite("Sign-in methods that users can use at present")
struct UsableSignInMethodsTests {
    private static let now = Instant(seconds: 1_800_000_000)

    /// A project that accepts every method, with one app, and an account without a method.
    struct Situation: Sendable {
        var realm: Realm
        var account = Account(
            id: ID("ada"), email: EmailAddress("ada@example.com"), createdAt: UsableSignInMethodsTests.now,
            validSince: UsableSignInMethodsTests.now)

        init() {
            realm = .demo(providers: [appleSettings, google()]) {
                $0.allowsPasswords = true
                $0.allowsEmailLinks = true
                $0.allowsPhoneNumbers = true
            }
            realm.project.apps = [App(id: ID("app"))]
            realm.project.passkeys = PasskeySettings(isEnabled: true, rpID: "example.com")
        }

        var identity: LinkedIdentity {
            LinkedIdentity(provider: .google, subject: "1", linkedAt: UsableSignInMethodsTests.now)
        }

        func passkey(_ rpID: String) -> Passkey {
            let now = UsableSignInMethodsTests.now
            return Passkey(
                id: ID("p"), rpID: rpID, userHandle: "h", name: "", createdAt: now, addedAt: now, lastUsedAt: nil,
                isBackedUp: false, transports: [], aaguid: "")
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let count: Int
        let change: @Sendable (inout Situation) -> Void

        init(_ testDescription: String, _ count: Int, _ change: @escaping @Sendable (inout Situation) -> Void) {
            self.testDescription = testDescription
            self.count = count
            self.change = change
        }
    }

    private static let identities: [Row] = [
        Row("an identity of an enabled provider", 1) { $0.account.identities = [$0.identity] },
        Row("an identity of a disabled provider", 0) {
            $0.account.identities = [$0.identity]
            $0.realm.providers = [appleSettings, google(isEnabled: false)]
        },
        Row("an identity of a provider that is not configured", 0) {
            $0.account.identities = [$0.identity]
            $0.realm.providers = [appleSettings]
        },
        Row("an identity of a provider without a client ID", 0) {
            $0.account.identities = [$0.identity]
            $0.realm.project.apps[0].settings.clientIDs = ["google.com": []]
        },
        Row("an identity of a provider that no app lists", 0) {
            $0.account.identities = [$0.identity]
            $0.realm.project.apps[0].settings.signInMethods = [.apple, .password]
        },
        Row("an identity of a provider that one of two apps lists", 1) {
            $0.account.identities = [$0.identity]
            $0.realm.project.apps[0].settings.signInMethods = [.apple]
            $0.realm.project.apps.append(App(id: ID("web")))
        },
        Row("an identity of a provider that apps only link", 0) {
            $0.account.identities = [$0.identity]
            $0.realm.project.apps[0].settings.linkOnlyMethods = [.google]
        },
        Row("a suspended identity", 0) {
            var identity = $0.identity
            identity.isSuspended = true
            $0.account.identities = [identity]
        },
    ]

    private static let credentials: [Row] = [
        Row("no method", 0) { _ in },
        Row("a password", 1) { $0.account.passwordUpdatedAt = now },
        Row("a password, where passwords are not allowed", 0) {
            $0.account.passwordUpdatedAt = now
            $0.realm.policy.allowsPasswords = false
        },
        Row("a password without an address", 0) {
            $0.account.passwordUpdatedAt = now
            $0.account.email = nil
        },
        Row("email links without an address", 0) {
            $0.account.usesEmailLinks = true
            $0.account.email = nil
        },
        Row("a telephone number without an address", 1) {
            $0.account.phoneNumber = PhoneNumber("+15555550100")
            $0.account.email = nil
        },
        Row("email links", 1) { $0.account.usesEmailLinks = true },
        Row("email links, where they are not allowed", 0) {
            $0.account.usesEmailLinks = true
            $0.realm.policy.allowsEmailLinks = false
        },
        Row("a telephone number", 1) { $0.account.phoneNumber = PhoneNumber("+15555550100") },
        Row("a telephone number, where telephone numbers are not allowed", 0) {
            $0.account.phoneNumber = PhoneNumber("+15555550100")
            $0.realm.policy.allowsPhoneNumbers = false
        },
        Row("a telephone number, where everybody needs a second factor", 0) {
            $0.account.phoneNumber = PhoneNumber("+15555550100")
            $0.realm.policy.secondFactors.state = .mandatory
        },
        Row("a passkey", 1) { $0.account.passkeys = [$0.passkey("example.com")] },
        Row("a passkey of another RP ID", 0) { $0.account.passkeys = [$0.passkey("example.org")] },
        Row("a passkey, where passkeys are not enabled", 0) {
            $0.account.passkeys = [$0.passkey("example.com")]
            $0.realm.project.passkeys.isEnabled = false
        },
        Row("custom tokens", 1) { $0.account.usesCustomTokens = true },
        Row("a password and email links", 2) {
            $0.account.passwordUpdatedAt = now
            $0.account.usesEmailLinks = true
        },
        Row("a password and a suspended identity", 1) {
            var identity = $0.identity
            identity.isSuspended = true
            $0.account.identities = [identity]
            $0.account.passwordUpdatedAt = now
        },
    ]

    @Test("A method counts only if a sign-in with it is accepted", arguments: identities + credentials)
    func counts(row: Row) {
        var situation = Situation()
        row.change(&situation)
        let usable = UsableSignInMethods(for: situation.account, in: situation.realm)
        #expect(usable.count(of: situation.account) == row.count)
    }
}
