import HTTP
import Identity
import Testing

@testable import Support

@Suite("Secrets in the configuration of a project")
struct ConfigurationSecretsTests {
    private static let sms: JSON = [
        "format": "form", "url": "https://sms.example.com/SECRET/send", "username": "SECRETUSER", "secret": "SECRET",
        "fields": [
            ["name": "To", "template": "{number}"], ["name": "key", "template": "SECRETKEY"],
            ["name": "text", "template": "{text}{code}"], ["name": "mixed", "template": "{number}SECRET"],
        ],
    ]
    private static let functions: JSON = [
        "triggers": ["beforeCreate": ["functionUri": "https://hooks.example.com/SECRET?key=SECRET"]]
    ]

    @Test("Without the scope trust, which sets them, no response contains them", arguments: [false, true])
    func scopes(hasTrust: Bool) async throws {
        let configurator = try await Configurator()
        let set = try await configurator.send(
            .patch, "config",
            [
                "sms": Self.sms, "blockingFunctions": Self.functions,
                "signIn": ["phoneNumber": ["testPhoneNumbers": ["+15555550100": "987654"]]],
            ], mask: "sms,blockingFunctions,signIn.phoneNumber.testPhoneNumbers")
        #expect(set.status == 200, "\(set.text)")
        let scopes = [ServiceKeyScope.readConfig, .config] + (hasTrust ? [.trust] : [])
        let key = try await ServiceKey(id: "limited", in: configurator.gateway, scopes: ServiceKeyScopes(Set(scopes)))
        let limited = Configurator(gateway: configurator.gateway, serviceKey: key)
        for response in try await [
            limited.send(.get, "config"),
            limited.send(.patch, "config", ["autodeleteAnonymousUsers": false], mask: "autodeleteAnonymousUsers"),
        ] {
            #expect(response.status == 200, "\(response.text)")
            #expect(response.text.contains("SECRET") == hasTrust, "\(response.text)")
            #expect(response.text.contains("987654") == hasTrust, "\(response.text)")
            guard !hasTrust else { continue }
            #expect(response.json["sms"]?["url"] == "https://sms.example.com/…")
            #expect(
                response.json["sms"]?["fields"]?.elements.map { $0["template"] } == [
                    "{number}", "…", "…", "{text}{code}",
                ])
            let function = response.json["blockingFunctions"]?["triggers"]?["beforeCreate"]
            #expect(function?["functionUri"] == "https://hooks.example.com/…")
        }
    }

    @Test("An abbreviated value that is sent back is a change, which needs the scope trust")
    func sentBack() async throws {
        let configurator = try await Configurator()
        #expect(try await configurator.send(.patch, "config", ["sms": Self.sms], mask: "sms").status == 200)
        let key = try await ServiceKey(
            id: "limited", in: configurator.gateway, scopes: ServiceKeyScopes([.readConfig, .config]))
        let limited = Configurator(gateway: configurator.gateway, serviceKey: key)
        let read = try await limited.send(.get, "config")
        let sent = try await limited.send(
            .patch, "config", ["sms": read.json["sms"] ?? .null], mask: "sms.url,sms.fields")
        #expect(sent.wireCode == "PERMISSION_DENIED", "\(sent.text)")
    }
}
