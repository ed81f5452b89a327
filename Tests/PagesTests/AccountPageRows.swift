import HTML
import HTTP
import Identity
import Providers
import Testing

@testable import Pages

/// The pages that the tests render, each with values that may come from an attacker.
extension AccountPageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Values) -> Page
    }

    static let now = Instant(seconds: 1_767_225_600)

    /// Values that may come from an attacker.
    struct Values: Sendable {
        var name = "Ada"
        var device = "Example (iPhone; iOS 19.0)"
        var email = EmailAddress("ada@example.com")!
        var token = "token"

        var realm: Realm {
            Realm(
                project, policy: Policy(.sekisho))
        }

        private var project: Project {
            var project = Project(
                id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live)
            project.apps = [App(id: ID("app"))]
            project.appNames = [ID("app"): name]
            return project
        }

        var account: Account {
            let now = AccountPageTests.now
            var account = Account(
                id: ID("ada"), email: email, displayName: name, passwordUpdatedAt: now,
                phoneNumber: PhoneNumber("+15555550100"),
                identities: [
                    LinkedIdentity(
                        provider: .apple, subject: "1", email: email, isPrivateEmail: true, linkedAt: now,
                        linkedDevice: device),
                    LinkedIdentity(provider: .google, subject: "2", email: email, linkedAt: now),
                ],
                passkeys: [
                    Passkey(
                        id: ID("abcd"), rpID: "example.com", userHandle: "h", name: name, createdAt: now, addedAt: now,
                        lastUsedAt: now, isBackedUp: false, transports: [], aaguid: "")
                ], createdAt: now, validSince: now)
            account.secondFactors = SecondFactors(
                factors: [Factor(id: ID("f"), kind: .totp, displayName: name, enrolledAt: now)],
                recoveryCodes: SecondFactors.RecoveryCodes(remaining: 3, createdAt: now))
            return account
        }

        func session(_ id: String) -> ListedSession {
            ListedSession(
                session: Session(
                    id: ID(id), account: ID("ada"), generation: 1, method: .apple,
                    authenticatedAt: AccountPageTests.now,
                    device: device), lastUsedAt: AccountPageTests.now, app: ID("app"))
        }

        func frame(
            _ path: AccountPath, _ notice: AccountNotice? = nil, acceptedPasskeys: String? = nil
        ) -> AccountFrame {
            AccountFrame(
                Page.Context(language: .english, projectName: name), path, formToken: token,
                now: AccountPageTests.now + .seconds(3600), notice: notice, acceptedPasskeys: acceptedPasskeys)
        }

        var rules: PasswordRules { PasswordRules(Policy(.sekisho)) }
        var methods: [AccountMethod] { AccountMethod.all(of: account, in: realm) }
        var pending: PendingOneTimePassword {
            PendingOneTimePassword(
                secret: String(repeating: "A", count: 32), issuer: "株式会社サンプル商店",
                name: String(repeating: "a", count: 254), enrolment: token)
        }
        var addable: AddableMethods {
            var addable = AddableMethods()
            addable.service = true
            (addable.password, addable.phone) = (true, true)
            (addable.oneTimePassword, addable.recoveryCodes) = (true, true)
            addable.passkey = true
            return addable
        }
    }

    static let rows: [Row] =
        [
            Row(testDescription: "overview") {
                .account(
                    AccountOverview($0.account, in: $0.realm), allowsPasswords: true, $0.frame(.overview, .password))
            },
            Row(testDescription: "overview after an error") {
                .account(
                    AccountOverview($0.account, in: $0.realm), allowsPasswords: false, problem: .alreadyLinked,
                    $0.frame(.overview))
            },
            Row(testDescription: "ways to sign in") {
                .signInMethods(
                    $0.methods, recoveryCodes: $0.account.secondFactors.recoveryCodes, adding: $0.addable,
                    $0.frame(.methods))
            },
            Row(testDescription: "removed passkey") {
                .signInMethods(
                    $0.methods, recoveryCodes: nil, adding: $0.addable,
                    $0.frame(.methods, .removed, acceptedPasskeys: #"{"userId": "\#($0.name)"}"#))
            },
            Row(testDescription: "removal") { .removeMethod($0.methods[0], $0.frame(.remove)) },
            Row(testDescription: "removal of a passkey") { .removeMethod($0.methods[4], $0.frame(.remove)) },
            Row(testDescription: "new passkey") {
                .addPasskey(
                    PasskeyCeremony(options: #"{"user": {"name": "\#($0.name)"}}"#), isRejected: true,
                    $0.frame(.passkey))
            },
            Row(testDescription: "name of a passkey") {
                .renamePasskey($0.methods[4], rejected: RejectedName("\n\($0.name)"), $0.frame(.rename))
            },
            Row(testDescription: "last way to sign in") { .lastWayToSignIn($0.frame(.remove)) },
            Row(testDescription: "devices") { values in
                .devices(
                    ["a", "b"].map {
                        AccountDevice(values.session($0), current: values.session("a").session, in: values.realm)
                    }, hasOthers: true, more: "after=1", values.frame(.devices))
            },
            Row(testDescription: "activity") { values in
                .activity(
                    [ActivityPageTests.event("identity.linked", ["provider": "google.com", "repeated": "2"])].map {
                        AccountActivity($0, in: values.realm)
                    }, older: "after=1", values.frame(.activity))
            },
            Row(testDescription: "no activity") { .activity([], older: nil, $0.frame(.activity)) },
            Row(testDescription: "email") { .changeEmail(of: $0.account, $0.frame(.email)) },
            Row(testDescription: "email, rejected") {
                .changeEmail(of: $0.account, submitted: $0.name, problem: .invalid, $0.frame(.email))
            },
            Row(testDescription: "password") { .accountPassword(of: $0.account, $0.rules, $0.frame(.password)) },
            Row(testDescription: "password, rejected") {
                .accountPassword(
                    of: $0.account, $0.rules, missing: PageTests.everyRequirement, $0.frame(.password))
            },
            Row(testDescription: "secure") { .secureAccount($0.account, $0.rules, $0.frame(.secure)) },
            Row(testDescription: "secure, without passwords") { .secureAccount($0.account, nil, $0.frame(.secure)) },
            Row(testDescription: "name") { .profile($0.name, $0.frame(.profile)) },
            Row(testDescription: "name, rejected") {
                .profile($0.name, rejected: RejectedName("\n\($0.name)"), $0.frame(.profile))
            },
            Row(testDescription: "language and time zone") { .preferences(of: $0.account, $0.frame(.preferences)) },
            Row(testDescription: "language and time zone, rejected") {
                .preferences(
                    of: $0.account,
                    rejected: RejectedPreferences(
                        language: .german, hasLanguage: false, timeZone: $0.name, hasTimeZone: false),
                    $0.frame(.preferences))
            },
            Row(testDescription: "telephone number") { .addPhone($0.frame(.phone)) },
            Row(testDescription: "telephone number, rejected") {
                .addPhone(submitted: $0.name, problem: .invalid, $0.frame(.phone))
            },
            Row(testDescription: "code of a telephone number") {
                .confirmPhone(
                    PendingPhoneNumber(number: $0.name, enrolment: $0.token), isRejected: true, $0.frame(.phone))
            },
            Row(testDescription: "authenticator app") { .addAuthenticator($0.pending, $0.frame(.authenticator)) },
            Row(testDescription: "authenticator app, rejected") {
                .addAuthenticator($0.pending, isRejected: true, $0.frame(.authenticator))
            },
            Row(testDescription: "new recovery codes") { .newRecoveryCodes($0.frame(.recoveryCodes)) },
            Row(testDescription: "recovery codes") { .recoveryCodes([$0.name], $0.frame(.recoveryCodes)) },
            Row(testDescription: "data") { .accountData($0.frame(.data)) },
            Row(testDescription: "deletion") { .deleteAccount(signInURL: nil, $0.frame(.delete)) },
            Row(testDescription: "deletion, not ticked") {
                .deleteAccount(isUnticked: true, signInURL: nil, $0.frame(.delete))
            },
            Row(testDescription: "deletion, signed out") {
                .deleteAccount(signInURL: "../signIn?account=1", $0.frame(.delete))
            },
        ]
        + AppleRevocation.allCases.map { revocation in
            Row(testDescription: "deleted: \(revocation)") { .accountDeleted(revocation, $0.frame(.delete)) }
        }
        + ([.formExpired, .tooManyAttempts(minutes: 5), .methodGone, .notAllowed, .deletionNotAllowed]
        as [Page.AccountFailure]).map { failure in
            Row(testDescription: "\(failure)") { .accountFailure(failure, $0.frame(.methods)) }
        }
}
