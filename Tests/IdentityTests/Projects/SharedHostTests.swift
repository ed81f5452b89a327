import Identity
import Testing

@Suite("Hosts that several projects share")
struct SharedHostTests {
    private static func app(_ project: String, _ hosts: [String], isAndroid: Bool) -> AssociatedApp {
        var settings = AppSettings()
        settings.association.domains = hosts
        if isAndroid {
            settings.callers.androidPackages = ["com.example.\(project)"]
            settings.association.androidFingerprints = [String(repeating: "e3b0c442", count: 8)]
        } else {
            settings.bundleIDs = ["com.example.\(project)"]
        }
        return AssociatedApp(settings, of: ID(project), projectTeamID: "TEAM123456")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apps: [AssociatedApp]
        let expected: [String]
    }

    @Test(
        "A host that several projects share is reported if one of its apps is an Android app",
        arguments: [
            Row(
                testDescription: "two projects, one with an Android app",
                apps: [app("b", ["AUTH.example"], isAndroid: false), app("a", ["auth.example"], isAndroid: true)],
                expected: ["auth.example: a b"]),
            Row(
                testDescription: "two projects without an Android app",
                apps: [app("a", ["auth.example"], isAndroid: false), app("b", ["auth.example"], isAndroid: false)],
                expected: []),
            Row(
                testDescription: "two apps of one project",
                apps: [app("a", ["auth.example"], isAndroid: true), app("a", ["auth.example"], isAndroid: false)],
                expected: []),
            Row(
                testDescription: "a host for each project",
                apps: [app("a", ["a.example"], isAndroid: true), app("b", ["b.example"], isAndroid: true)],
                expected: []),
        ])
    func hosts(row: Row) {
        let found = row.apps.sharedHostsWithAndroidApps.map { host, projects in
            "\(host): \(projects.map(\.rawValue).joined(separator: " "))"
        }
        #expect(found == row.expected)
    }
}
