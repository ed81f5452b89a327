import HTTP
import Identity
import Providers
import Testing

@testable import Pages

/// The pages that the tests render, each with values that may come from an attacker.
extension PageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Values) -> Page
    }

    /// Values that may come from an attacker.
    struct Values: Sendable {
        var language = Language.english
        var projectName: String? = "Demo"
        var code = "code"
        var email = EmailAddress("ada@example.com")!
        var url = "https://app.example.com/in"
        var project: ID<Project> = ID("demo")
        var device = "Demo"
        var provider = "Demo"

        /// An identity from a configured provider, one from an unknown provider, a passkey and a telephone number.
        var listed: [ListedMethod] {
            let linkedAt = Instant(seconds: 1_767_225_600)
            var configured = Realm(
                Project(id: project, number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live),
                policy: Policy(.sekisho))
            configured.providers = [
                ProviderSettings(
                    provider: ProviderID("oidc.corp"), isEnabled: true, clientIDs: ["a"],
                    openID: OpenIDSettings(issuer: "https://corp.example", displayName: provider))
            ]
            return [
                LinkedIdentity(
                    provider: ProviderID("oidc.corp"), subject: "1", linkedAt: linkedAt, linkedDevice: device),
                LinkedIdentity(provider: ProviderID("other"), subject: "2", linkedAt: linkedAt),
            ].map { ListedMethod($0, in: configured) } + [
                ListedMethod(
                    Passkey(
                        id: ID("abcd"), rpID: "example.com", userHandle: "h", name: device, createdAt: linkedAt,
                        addedAt: linkedAt, lastUsedAt: nil, isBackedUp: false, transports: [], aaguid: "")),
                ListedMethod(PhoneNumber("+15555550100")!, addedAt: nil),
            ]
        }
        var method: AddedSignInMethod {
            AddedSignInMethod(provider: .google, subject: "1", addedAt: Instant(seconds: 1_767_225_600))
        }

        var context: Page.Context {
            Page.Context(
                language: language, projectName: projectName,
                brand: Brand(
                    privacy: BrandLink(stored: "https://example.com/\(code)"),
                    support: BrandLink(stored: "mailto:\(code)@example.com")), requestID: "1a2b")
        }
        var continueURL: ContinueURL? {
            let realm = Realm(
                Project(
                    id: project, number: 1, profile: .sekisho, authorizedDomains: ["app.example.com"], supporting: .live
                ),
                policy: Policy(.sekisho))
            return try? ContinueURL(url, in: realm)
        }
        var form: CodeForm { CodeForm(code: code, continueURL: continueURL) }
        var rules: PasswordRules {
            var policy = Policy(.sekisho)
            policy.requiresLowercase = true
            policy.requiresUppercase = true
            policy.requiresDigit = true
            policy.requiresSymbol = true
            return PasswordRules(policy)
        }
        var link: ActionLink? {
            continueURL.map {
                ActionLink(.signIn, code: code, in: ID(project), at: $0.text, apiKey: code, language: language)
            }
        }
    }

    static func account(isVerified: Bool) -> Account {
        let createdAt = Instant(seconds: 1_767_225_600)
        return Account(id: ID("ada"), emailIsVerified: isVerified, createdAt: createdAt, validSince: createdAt)
    }

    static let untilNewYear = NewAccountChoice.optional(until: Instant(seconds: 1_767_225_600))

    static let everyRequirement: [PasswordRequirement] = [
        .minimumLength(8), .maximumLength(4096), .lowercase, .uppercase, .digit, .symbol, .notBreached,
    ]

    static let rows: [Row] =
        [
            Row(testDescription: "verifyEmail") {
                .verifyEmail(
                    $0.email, of: account(isVerified: false), methods: [.password, .named($0.provider)],
                    removable: $0.listed, .none, $0.form, $0.context)
            },
            Row(testDescription: "verifyEmail, another mailbox was first") {
                .verifyEmail(
                    $0.email, of: account(isVerified: false), methods: [.password], removable: [], untilNewYear,
                    $0.form,
                    $0.context)
            },
            Row(testDescription: "verifyEmail, already verified") {
                .verifyEmail(
                    $0.email, of: account(isVerified: true), methods: [], removable: [], .none, $0.form, $0.context)
            },
            Row(testDescription: "emailVerified") { .emailVerified($0.email, continuing: $0.continueURL, $0.context) },
            Row(testDescription: "emailDisavowed") { .emailDisavowed($0.context) },
            Row(testDescription: "resetPassword") {
                .resetPassword(of: $0.email, $0.rules, removable: [], .none, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, rejected password") {
                .resetPassword(
                    of: $0.email, $0.rules, missing: everyRequirement, removable: [], .none, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, identities") {
                .resetPassword(of: $0.email, $0.rules, removable: $0.listed, .none, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, recovered") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .recovered($0.email), $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, removed") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .removed(.named($0.provider)), $0.form,
                    $0.context)
            },
            Row(testDescription: "removeSignInMethod") {
                .removeSignInMethod(
                    $0.method, named: .named($0.provider), userAgent: $0.device, of: $0.email, setsPassword: true,
                    $0.form, $0.context)
            },
            Row(testDescription: "removeSecondFactor") {
                .removeSecondFactor(
                    addedAt: $0.method.addedAt, isPhone: false, of: $0.email, setsPassword: true, $0.form, $0.context)
            },
            Row(testDescription: "signInMethodRemoved") {
                .signInMethodRemoved(.named($0.provider), takenEmail: nil, $0.context)
            },
            Row(testDescription: "signInMethodRemoved, address taken") {
                .signInMethodRemoved(.password, takenEmail: $0.email, $0.context)
            },
            Row(testDescription: "passwordReset") {
                .passwordReset(of: $0.email, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "changeEmail") {
                .changeEmail(
                    from: $0.email, to: $0.email, methods: [.named($0.provider)], removable: $0.listed, .none,
                    $0.form, $0.context)
            },
            Row(testDescription: "changeEmail, in place of a proven address") {
                .changeEmail(
                    from: $0.email, to: $0.email, methods: [], removable: [], .optional(until: nil), $0.form, $0.context
                )
            },
            Row(testDescription: "resetPassword, another mailbox was first") {
                .resetPassword(of: $0.email, $0.rules, removable: [], untilNewYear, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, new account") {
                .resetPassword(of: $0.email, $0.rules, removable: [], .required, $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, account created") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .accountCreated($0.email), $0.form, $0.context)
            },
            Row(testDescription: "resetPassword, confirmed") {
                .resetPassword(
                    of: $0.email, $0.rules, removable: [], .none, after: .confirmed($0.email), $0.form, $0.context)
            },
            Row(testDescription: "emailChanged") {
                .emailChanged(to: $0.email, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "recoverEmail") {
                .recoverEmail(to: $0.email, from: $0.email, removable: $0.listed, $0.form, $0.context)
            },
            Row(testDescription: "emailRecovered") {
                .emailRecovered(to: $0.email, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "undoMerge") { .undoMerge(of: $0.email, setsPassword: true, $0.form, $0.context) },
            Row(testDescription: "undoMerge, no password") {
                .undoMerge(of: $0.email, setsPassword: false, $0.form, $0.context)
            },
            Row(testDescription: "mergeUndone") { .mergeUndone($0.email, continuing: $0.continueURL, $0.context) },
            Row(testDescription: "mergeUndone, address taken") {
                .mergeUndone(nil, continuing: $0.continueURL, $0.context)
            },
            Row(testDescription: "signIn") { .signIn($0.email, $0.link, $0.context) },
            Row(testDescription: "signIn, no URL of the app") { .signIn($0.email, nil, $0.context) },
            Row(testDescription: "forgotPassword") { .forgotPassword($0.context) },
            Row(testDescription: "forgotPassword, invalid address") { .forgotPassword(isInvalid: true, $0.context) },
            Row(testDescription: "resetRequested") { .resetRequested(to: $0.email, $0.context) },
        ]
        + failures.map { failure in Row(testDescription: "\(failure)") { .failure(failure, $0.context) } }

    static let failures: [Page.Failure] = [
        .code(.invalid), .code(.expired), .code(.emailTaken), .code(.accountDisabled), .code(.notAllowed),
        .tooManyAttempts(minutes: 1), .tooManyAttempts(minutes: 5), .malformed, .notFound,
    ]
}
