package import Identity

extension Settings {
    package static let consoleProject = Setting(
        name: "SEKISHO_CONSOLE_PROJECT", fallback: nil,
        meaning:
            "the project whose accounts are the operators, who sign in to the console at /console; without it, there is no console (sekisho administrators invite creates the project)"
    )
    package static let consoleURL = Setting(
        name: "SEKISHO_CONSOLE_URL", fallback: nil,
        meaning:
            "the URL of the console's host, such as https://console.example.com (default: SEKISHO_PUBLIC_URL); the console answers requests to other hosts with status 421"
    )

    static let console = [consoleProject, consoleURL]
}

/// Where the console is, and whose accounts use it.
package struct ConsoleSettings: Sendable {
    package let project: ID<Project>
    /// `nil`: the URL of the gateway. Without a slash at the end.
    package let url: String?

    package init(project: ID<Project>, url: String? = nil) {
        self.project = project
        self.url = url
    }
}

extension SettingsReader {
    /// - Returns: `nil` if the gateway has no console.
    package mutating func console() -> ConsoleSettings? {
        let project = optional(Settings.consoleProject, "a project ID") {
            ProjectDraft.isValidID($0) ? ID<Project>($0) : nil
        }
        let url = optional(
            Settings.consoleURL, "an https URL without path (http for loopback only)", Config.parse(publicURL:))
        return project.map { ConsoleSettings(project: $0, url: url) }
    }
}
