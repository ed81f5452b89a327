import Encoding
import Providers
import Testing

@testable import Identity

@Suite("What stops a sign-in to an account now")
struct SignInObstacleTests {
    typealias Situation = UsableSignInMethodsTests.Situation

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Each obstacle as its code and method.
        let obstacles: [String]
        let change: @Sendable (inout Situation) -> Void

        init(
            _ testDescription: String, _ obstacles: [String], _ change: @escaping @Sendable (inout Situation) -> Void
        ) {
            self.testDescription = testDescription
            self.obstacles = obstacles
            self.change = change
        }
    }

    private static let now = Instant(seconds: 1_800_000_000)

    private static let rows = [
        Row("an account with a password", []) { $0.account.passwordUpdatedAt = now },
        Row("an address, whose owner can set a password", []) { _ in },
        Row("a disabled account", ["ACCOUNT_DISABLED"]) {
            $0.account.passwordUpdatedAt = now
            $0.account.isDisabled = true
        },
        Row("a guest", ["NO_SIGN_IN_METHOD"]) { $0.account.email = nil },
        Row("a password, where passwords are not allowed", ["METHOD_NOT_AVAILABLE password"]) {
            $0.account.passwordUpdatedAt = now
            $0.realm.policy.allowsPasswords = false
        },
        Row(
            "a password, where neither passwords nor email links are allowed",
            ["NO_USABLE_METHOD", "METHOD_NOT_AVAILABLE password"]
        ) {
            $0.account.passwordUpdatedAt = now
            $0.realm.policy.allowsPasswords = false
            $0.realm.policy.allowsEmailLinks = false
        },
        Row("a disabled provider", ["NO_USABLE_METHOD", "METHOD_NOT_AVAILABLE google.com"]) {
            $0.account.email = nil
            $0.account.identities = [$0.identity]
            $0.realm.providers = [appleSettings, google(isEnabled: false)]
        },
        Row("a suspended identity", ["NO_USABLE_METHOD", "IDENTITY_SUSPENDED google.com"]) {
            $0.account.email = nil
            $0.account.identities = [$0.identity]
            $0.account.identities[0].isSuspended = true
        },
        Row("a stopped relay", ["RELAY_STOPPED google.com"]) {
            $0.account.identities = [$0.identity]
            $0.account.identities[0].emailForwarding = false
        },
        Row("a passkey of another RP ID", ["METHOD_NOT_AVAILABLE passkey"]) {
            $0.account.passkeys = [$0.passkey("example.org")]
        },
        Row("a number as the only factor, without a sender", ["NO_USABLE_FACTOR", "FACTOR_NOT_AVAILABLE phone"]) {
            $0.account.secondFactors = SecondFactors(factors: [factor(.phone)])
            $0.realm.policy.secondFactors.state = .enabled
        },
        Row("a number beside recovery codes, without a sender", ["FACTOR_NOT_AVAILABLE phone"]) {
            $0.account.secondFactors = SecondFactors(
                factors: [factor(.phone)],
                recoveryCodes: .init(remaining: 1, createdAt: now))
            $0.realm.policy.secondFactors.state = .enabled
        },
        Row("factors that the project does not ask for", []) {
            $0.account.secondFactors = SecondFactors(factors: [factor(.phone)])
        },
    ]

    private static func factor(_ kind: Factor.Kind) -> Factor {
        Factor(
            id: ID("f"), kind: kind, phoneNumber: kind == .phone ? PhoneNumber("+15555550100") : nil, displayName: nil,
            enrolledAt: now)
    }

    @Test("The obstacles of an account", arguments: rows)
    func obstacles(row: Row) {
        var situation = Situation()
        row.change(&situation)
        let found = SignInObstacle.all(of: situation.account, in: situation.realm) { _, _, _ in false }
        #expect(found.map(\.text) == row.obstacles)
    }

    @Test("A rate limit of the account is an obstacle that does not stop every sign-in")
    func limits() {
        var situation = Situation()
        situation.account.passwordUpdatedAt = Self.now
        situation.account.secondFactors = SecondFactors(factors: [Self.factor(.totp)])
        situation.realm.policy.secondFactors.state = .enabled
        let found = SignInObstacle.all(of: situation.account, in: situation.realm) { _, _, _ in true }
        #expect(found.map(\.text) == ["PASSWORD_LIMIT password", "FACTOR_LIMIT"])
        #expect(found.allSatisfy { !$0.code.stopsEverySignIn })
        let several = SignInObstacle.all(of: situation.account, in: situation.realm) { key, limit, _ in
            key.kind == .addressPasswordFailures && limit <= situation.realm.policy.passwordFailureLimit
        }
        #expect(several.map(\.text) == ["NETWORK_PASSWORD_LIMIT password"])
        situation.realm.policy.passwordFailureLimit = 0
        let unlimited = SignInObstacle.all(of: situation.account, in: situation.realm) { key, _, _ in
            key.kind == .addressPasswordFailures
        }
        #expect(unlimited.isEmpty)
    }
}

extension SignInObstacle {
    fileprivate var text: String { code.rawValue + (method.map { " \($0.rawValue)" } ?? "") }
}
