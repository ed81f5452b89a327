import Testing

@testable import Commands
@testable import Gateway

extension ProjectFileTests {
    /// Each problem is given by the beginning of its message.
    @Test(
        "All problems of a file are reported",
        arguments: [
            ("[]", ["the file is not a valid JSON object"]),
            ("{", ["the file is not a valid JSON object"]),
            (#"{"project": "demo", "project": "demo"}"#, ["the file is not a valid JSON object"]),
            ("{}", ["project: expected a project ID"]),
            (#"{"project": "demo", "polices": {}}"#, ["polices: unknown member; expected one of apps, authorized"]),
            (#"{"project": "demo", "profile": "google"}"#, ["profile: expected sekisho or firebase"]),
            (#"{"project": "demo", "policy": {"allowsAll": true}}"#, ["policy.allowsAll: unknown"]),
            (
                #"{"project": "demo", "policy": {"allowsPasswords": "true"}}"#,
                ["policy.allowsPasswords: expected true or"]
            ),
            (
                #"{"project": "demo", "policy": {"minimumPasswordLength": 3}}"#,
                ["policy.minimumPasswordLength: expected 6"]
            ),
            (
                #"{"project": "demo", "email": {"senderAddress": "ada", "replyTo": 1, "language": "nl", "smtp": {}}}"#,
                [
                    "email.senderAddress: expected an email address or null",
                    "email.replyTo: expected an email address or null",
                    "email.language: expected en, ja, de, fr, es, pt-BR, it, ko, zh-Hans, zh-Hant, ar, id or null",
                    "email.smtp: unknown member; expected one of actionUrl, language, replyTo, senderAddress, senderName, subjects",
                ]
            ),
            (
                #"{"project": "demo", "email": {"subjects": {"reset": {}, "signIn": {"nl": "x", "en": 1}}}}"#,
                [
                    "email.subjects.signIn.en: expected a string",
                    "email.subjects.signIn.nl: unknown member; expected one of ar, de, en, es, fr, id, it, ja, ko, pt-BR, zh-Hans, zh-Hant",
                    "email.subjects.reset: unknown member; expected one of accountDeleted",
                ]
            ),
            (#"{"project": "demo", "providers": []}"#, ["providers: expected an object"]),
            (#"{"project": "demo", "providers": {"apple.com": 1}}"#, ["providers.apple.com: expected an object"]),
            (
                #"{"project": "demo", "providers": {"google.com": {"teamId": "T", "enabled": 1, "clientIds": "g"}}}"#,
                [
                    "providers.google.com.enabled: expected true or false",
                    "providers.google.com.clientIds: expected a list of strings",
                    "providers.google.com.teamId: unknown member; expected one of clientIds, clientSecret, clientSecretFile, enabled",
                ]
            ),
            (
                #"{"project": "demo", "providers": {"apple.com": {"privateKey": "a", "privateKeyFile": "nowhere"}}}"#,
                [
                    "providers.apple.com.privateKeyFile: privateKey is set too: use only one of them",
                    "providers.apple.com.privateKeyFile: cannot read nowhere: missing",
                ]
            ),
            (
                #"{"project": "demo", "providers": {"apple.com": {"privateKeyFile": "empty"}}}"#,
                ["providers.apple.com.privateKeyFile: empty is empty"]
            ),
            (
                #"{"project": "demo", "providers": {"google.com": {"clientSecretFile": "empty"}, "#
                    + #""oidc.corp": {"clientSecretFile": "blank"}}}"#,
                [
                    "providers.google.com.clientSecretFile: empty is empty",
                    "providers.oidc.corp.clientSecretFile: blank is empty",
                ]
            ),
            (
                #"{"project": "demo", "apps": {"ios": {"platform": "iOS", "clientIds": {"google.com": "x"}}}}"#,
                ["apps.ios.platform: expected ios, macos", "apps.ios.clientIds.google.com: expected a list of strings"]
            ),
            (
                #"{"project": "demo", "apps": {"ios": {"exemption": {"kind": "small", "reason": "x", "by": 1}}}}"#,
                ["apps.ios.exemption.kind: expected ownAccountsOnly", "apps.ios.exemption.by: unknown member"]
            ),
            (#"{"project": "demo", "apps": {"ios": {"exemption": {}}}}"#, ["apps.ios.exemption.kind: kind and reason"]),
        ])
    func mistakes(json: String, beginnings: [String]) throws {
        let error = try #require(throws: ConfigurationError.self) { try Self.parsed(json) }
        #expect(error.problems.count == beginnings.count)
        for (problem, beginning) in zip(error.problems, beginnings) { #expect(problem.hasPrefix(beginning)) }
    }
}
