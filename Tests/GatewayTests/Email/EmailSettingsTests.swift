import Crypto
import HTTP
import Identity
import Postgres
import Providers
import Storage
import Testing

@testable import Support

@Suite("Email settings of a project")
struct EmailSettingsTests {
    static let allSettings: JSON = [
        "notification": [
            "defaultLocale": "ja",
            "sendEmail": [
                "method": "DEFAULT", "callbackUri": "https://localhost/account",
                "verifyEmailTemplate": ["subject": "Verify"],
                "resetPasswordTemplate": ["subject": "Reset", "senderDisplayName": "Example"],
                "changeEmailTemplate": ["subject": "Changed", "replyTo": "Help@example.com"],
                "revertSecondFactorAdditionTemplate": ["subject": "not here", "body": "neither"],
            ],
        ]
    ]

    /// Returns a gateway whose project has these email settings, a service key of the project, and a function that
    /// reads the stored email settings.
    private static func fixture(
        _ emailSettings: EmailSettings = EmailSettings()
    ) async throws -> (
        gateway: TestGateway, backend: ServiceKey, storedSettings: @Sendable () async throws -> EmailSettings
    ) {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        if emailSettings != EmailSettings() {
            let store = ConfigurationStore(
                pool: gateway.database.pool,
                rules: ConfigurationRules(supportedProviders: .live, acceptsSecret: { _, _ in true }),
                secrets: .init(
                    seal: { _, _, _ in [] }, matches: { _, _, _, _ in true }, sealSMS: { _, _ in [] },
                    matchesSMS: { _, _, _ in true }), clock: gateway.clock.wallClock)
            _ = try await store.edit(gateway.realm.id, by: .commandLine, allowing: .changeTrust) {
                $0.realm.project.emailSettings = emailSettings
            }
        }
        return (
            gateway, backend,
            {
                let store = ProjectStore(pool: gateway.database.pool, supporting: .live)
                return try #require(try await store.realm(ofProject: ID("demo"))).project.emailSettings
            }
        )
    }

    /// `changed` names the settings that have the value from ``allSettings`` after the request.
    @Test(
        "A change of email settings applies only to the members that the mask names; an empty mask names all",
        arguments: [
            ("notification.defaultLocale", "language"),
            ("notification.sendEmail.callbackUri", "url"),
            ("notification.sendEmail.resetPasswordTemplate", "name reset"),
            ("notification.sendEmail.resetPasswordTemplate.subject", "reset"),
            ("notification.sendEmail.changeEmailTemplate.replyTo,notification.default_locale", "language reply"),
            ("notification.sendEmail", "url name reply verify reset changed"),
            ("notification.sendEmail.revertSecondFactorAdditionTemplate,notification.sendSms", ""),
            ("notification", "language url name reply verify reset changed"),
            ("", "language url name reply verify reset changed"),
            ("authorizedDomains", ""),
        ])
    func mask(mask: String, changed: String) async throws {
        let (gateway, backend, storedSettings) = try await Self.fixture()
        let answer = try await gateway.configure(Self.allSettings, mask: mask, by: backend)
        #expect(answer.outcome == "200")
        let emailSettings = try await storedSettings()
        let changes = [
            ("language", emailSettings.language == .japanese),
            ("url", emailSettings.actionURL == "https://localhost/account"),
            ("name", emailSettings.senderName == "Example"),
            ("reply", emailSettings.replyTo == EmailAddress("help@example.com")),
            ("verify", emailSettings.subjects[.verifyEmail] == [emailSettings.language: "Verify"]),
            ("reset", emailSettings.subjects[.resetPassword] == [emailSettings.language: "Reset"]),
            ("changed", emailSettings.subjects[.emailChanged] == [emailSettings.language: "Changed"]),
        ]
        #expect(changes.filter(\.1).map(\.0).joined(separator: " ") == changed)
        #expect(try await gateway.send(.get, ProjectConfigTests.path, by: backend).json == answer.json)
    }

    static let configured = EmailSettings(
        senderAddress: EmailAddress("no-reply@example.com"), senderName: "Example",
        replyTo: EmailAddress("help@example.com"),
        actionURL: "https://localhost/account", language: .japanese,
        subjects: [
            .resetPassword: [.japanese: "再設定", .english: "Reset"], .signIn: [.japanese: "ログイン"],
        ])

    @Test("Email settings are returned in the project's language, and can be written back unchanged")
    func shown() async throws {
        let (gateway, backend, storedSettings) = try await Self.fixture(Self.configured)
        let present = try await gateway.send(.get, ProjectConfigTests.path, by: backend)
        let common: [String: JSON] = [
            "senderLocalPart": "no-reply", "senderDisplayName": "Example", "replyTo": "help@example.com",
        ]
        #expect(
            present.json["notification"] == [
                "defaultLocale": "ja",
                "sendEmail": [
                    "method": "DEFAULT", "callbackUri": "https://localhost/account",
                    "verifyEmailTemplate": .object(common), "changeEmailTemplate": .object(common),
                    "resetPasswordTemplate": .object(common.merging(["subject": "再設定"]) { $1 }),
                ],
            ])
        #expect(try await gateway.configure(present.json, by: backend).json == present.json)
        #expect(try await storedSettings() == Self.configured)
    }

    @Test(
        "An empty text removes an email setting; so does its absence from a request without a mask"
    )
    func absent() async throws {
        let (gateway, backend, storedSettings) = try await Self.fixture(Self.configured)
        let emptied: JSON = [
            "notification": [
                "sendEmail": [
                    "callbackUri": "",
                    "resetPasswordTemplate": ["subject": "", "senderDisplayName": "", "replyTo": ""],
                ]
            ]
        ]
        #expect(try await gateway.configure(emptied, mask: "notification", by: backend).outcome == "200")
        var expected = EmailSettings(senderAddress: Self.configured.senderAddress, language: .japanese)
        expected.subjects = [.resetPassword: [.english: "Reset"], .signIn: [.japanese: "ログイン"]]
        #expect(try await storedSettings() == expected)
        #expect(try await gateway.configure([:], mask: "notification", by: backend).outcome == "200")
        #expect(try await storedSettings() == expected)
        #expect(try await gateway.configure([:], by: backend).outcome == "200")
        expected.language = .english
        #expect(try await storedSettings() == expected, "settings that the response does not show are kept")
    }

    @Test("Every query for projects loads their email settings: the single project, all, by API key and by service key")
    func queries() async throws {
        let (gateway, _, _) = try await Self.fixture(Self.configured)
        try await gateway.makeServiceKey()
        let pool = gateway.database.pool
        let realms = [
            try await ProjectStore(pool: pool, supporting: .live).realmOfSingleProject(),
            try await ProjectStore(pool: pool, supporting: .live).projectRealms().first,
            try await APIKeyStore(pool: pool).realmAndApp(
                ofKeyWithHash: Digest.sha256(Array(TestGateway.apiKey.utf8)), supporting: .live)?.realm,
            try await ServiceKeyStore(pool: pool).key(
                withSecretHash: Digest.sha256(Array(TestGateway.serviceKeySecret.utf8)), supporting: .live)?.realm,
        ]
        #expect(realms.map { $0?.project.emailSettings } == Array(repeating: Self.configured, count: realms.count))
    }

    @Test("Members and values of a newer release in the stored email settings are ignored")
    func newer() async throws {
        let (gateway, _, storedSettings) = try await Self.fixture()
        _ = try await gateway.database.pool.execute(
            """
            UPDATE realm SET email_settings = '{"senderName": "A", "language": "tlh", "unknown": true,
                "subjects": {"UNKNOWN": {"en": "x"}, "PASSWORD_RESET": {"tlh": "x", "en": "Reset"}}}'
            """)
        #expect(
            try await storedSettings()
                == EmailSettings(senderName: "A", subjects: [.resetPassword: [.english: "Reset"]]))
    }

    static let languages = "en, ja, de, fr, es, pt-BR, it, ko, zh-Hans, zh-Hant, ar, id"

    static let invalidJSON = "400 Invalid JSON payload received. /notification"

    @Test(
        "A request with invalid or unimplemented email settings is rejected, and changes no other setting either",
        arguments: [
            (["defaultLocale": "nl"], "\(invalidJSON)/defaultLocale must be one of \(languages)"),
            (["defaultLocale": "en-XA"], "\(invalidJSON)/defaultLocale must be one of \(languages)"),
            (
                ["sendEmail": ["verifyEmailTemplate": ["replyTo": "ada"]]],
                "\(invalidJSON)/sendEmail/verifyEmailTemplate/replyTo must be an email address"
            ),
            (
                [
                    "sendEmail": [
                        "verifyEmailTemplate": ["senderDisplayName": "A"],
                        "changeEmailTemplate": ["senderDisplayName": "B"],
                    ]
                ], "\(invalidJSON)/sendEmail/changeEmailTemplate/senderDisplayName must be the same in every template"
            ),
            (
                ["sendEmail": ["callbackUri": "https://evil.example/"]],
                "400 INVALID_CONFIG : the action URL of emails must be at an authorized domain or at the gateway's own host"
            ),
            (
                ["sendEmail": ["callbackUri": "https://localhost/?a"]],
                "400 INVALID_CONFIG : the action URL of emails must be an https URL without user, query and fragment (http for loopback only)"
            ),
            (
                ["sendEmail": ["resetPasswordTemplate": ["subject": "a\nb"]]],
                "400 INVALID_CONFIG : the subject of resetPassword in language en must have 1 to 200 characters, none of them a control character or a line separator"
            ),
            (
                ["sendEmail": ["method": "CUSTOM_SMTP"]],
                "501 OPERATION_NOT_ALLOWED : notification.sendEmail.method is not implemented."
            ),
            (
                ["sendEmail": ["smtp": ["host": "a"]]],
                "501 OPERATION_NOT_ALLOWED : notification.sendEmail.smtp is not implemented."
            ),
            (
                ["sendEmail": ["resetPasswordTemplate": ["body": "<p>"]]],
                "501 OPERATION_NOT_ALLOWED : notification.sendEmail.resetPasswordTemplate.body is not implemented."
            ),
            (
                ["sendEmail": ["resetPasswordTemplate": ["senderLocalPart": "x"]]],
                "501 OPERATION_NOT_ALLOWED : notification.sendEmail.resetPasswordTemplate.senderLocalPart is not implemented."
            ),
        ] as [(JSON, String)])
    func refusals(notification: JSON, expected: String) async throws {
        let (gateway, backend, storedSettings) = try await Self.fixture()
        let body: JSON = ["notification": notification, "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
        let mask = "notification,emailPrivacyConfig"
        #expect(try await gateway.configure(body, mask: mask, by: backend).outcome == expected)
        #expect(try await storedSettings() == EmailSettings())
        let config = try await gateway.send(.get, ProjectConfigTests.path, by: backend)
        #expect(config.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
    }

    @Test("The action URL can be at the gateway's own host; an authorized domain that it uses cannot be removed")
    func hosts() async throws {
        let (gateway, backend, _) = try await Self.fixture()
        let mask = "notification.sendEmail.callbackUri"
        func setActionURL(_ url: String) async throws -> String {
            try await gateway.configure(
                ["notification": ["sendEmail": ["callbackUri": .string(url)]]], mask: mask, by: backend
            ).outcome
        }
        #expect(try await setActionURL("https://auth.example.com/mail") == "200")
        #expect(try await setActionURL("http://localhost:3000/mail") == "200")
        let narrowed = try await gateway.configure(
            ["authorizedDomains": ["a.example"]], mask: "authorizedDomains", by: backend)
        #expect(
            narrowed.outcome
                == "400 INVALID_CONFIG : the action URL of emails must be at an authorized domain or at the gateway's own host"
        )
    }
}
