import Encoding
import Identity
import Providers
import Testing

@Suite("Client IDs of Apple")
struct AppleClientIDTests {
    private static func problems(_ clientID: String, inApp: Bool = false) -> [ConfigurationProblem] {
        var configuration = ConfigurationTests.valid
        if inApp {
            configuration.apps[0].app.settings.clientIDs[ByteText(ProviderID.apple.rawValue)] = [
                "com.example.app", clientID,
            ]
        } else if var apple = configuration.realm.settings(of: .apple) {
            apple.clientIDs.append(clientID)
            configuration.set(apple)
        }
        return configuration.problems(by: ConfigurationRules(supportedProviders: .live) { _, _ in true })
    }

    private static let team = ConfigurationTests.valid.realm.settings(of: .apple)?.apple?.teamID ?? ""

    @Test(
        "A client ID that Apple cannot have issued is rejected",
        arguments: [
            "any*", "com.example.*", "com.example.app/", "https://auth.example.com", "com..example",
            ".com.example", "com.example.", "1234-abc.apps.googleusercontent.com", "\(team).com.example.app",
            String(repeating: "a", count: 156),
        ])
    func rejected(clientID: String) {
        let index = ConfigurationTests.valid.realm.settings(of: .apple)?.clientIDs.count ?? 0
        #expect(Self.problems(clientID).contains(.appleClientID(index: index, app: nil)))
        let app = ConfigurationTests.valid.apps[0].app.id
        #expect(Self.problems(clientID, inApp: true).contains(.appleClientID(index: 1, app: app)))
    }

    @Test(
        "A client ID in the form of a bundle ID is accepted, because Services IDs have the same form",
        arguments: [
            "com.example.other", "com.example-2.App_1", "com.example.signin", "client", "OTHERTEAM1.com.example",
        ])
    func accepted(clientID: String) {
        #expect(Self.problems(clientID) == [])
        #expect(Self.problems(clientID, inApp: true) == [])
    }

    @Test("A note names each client ID that counts as a Services ID, and each app whose platform is not declared")
    func notes() throws {
        var realm = ConfigurationTests.valid.realm
        var apple = try #require(realm.settings(of: .apple))
        apple.clientIDs = ["com.example.app", "com.example.web"]
        realm.providers = [apple]
        func app(_ id: String, _ platform: AppSettings.Platform, _ bundleIDs: [String], own: [String]? = nil) -> App {
            App(
                id: ID(id),
                settings: AppSettings(
                    platform: platform, bundleIDs: bundleIDs, clientIDs: own.map { ["apple.com": $0] } ?? [:]))
        }
        let ios = app("ios", .ios, ["com.example.app"])
        #expect(realm.appleClientIDNotes(for: [ios]) == [.countsAsServicesID("com.example.web")])
        let apps = [
            ios, app("web", .web, [], own: ["com.example.web", "com.example.two"]), app("default", .other, []),
        ]
        #expect(
            realm.appleClientIDNotes(for: apps) == [
                .countsAsServicesID("com.example.web"), .countsAsServicesID("com.example.two"),
                .platformNotDeclared(ID("default")),
            ])
        realm.providers = []
        #expect(realm.appleClientIDNotes(for: apps) == [])
    }
}
