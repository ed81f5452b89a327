/// The hosts that an app is associated with: the app opens their links, and may use passwords that were saved for these
/// hosts. The app lists the same hosts in its entitlement "Associated Domains" or in its manifest.
public struct AppAssociation: Hashable, Sendable {
    /// Host names, without scheme, port or path. Empty if the app is associated with no host.
    public var domains: [String]
    /// The Apple team that signs the app; `nil` for the team of the project's provider `apple.com`.
    public var teamID: String?
    /// SHA-256 fingerprints of the certificates that sign the Android packages: 64 hexadecimal digits, colons are
    /// ignored.
    public var androidFingerprints: [String]

    public init(domains: [String] = [], teamID: String? = nil, androidFingerprints: [String] = []) {
        self.domains = domains
        self.teamID = teamID
        self.androidFingerprints = androidFingerprints
    }
}

/// An app with its associated hosts, and its identifiers on each platform.
public struct AssociatedApp: Hashable, Sendable {
    public let project: ID<Project>
    public let settings: AppSettings
    /// The team that signs the app; `nil` if none is configured.
    public let teamID: String?

    /// - Parameter projectTeamID: the team of the project's provider `apple.com`.
    public init(_ settings: AppSettings, of project: ID<Project>, projectTeamID: String?) {
        self.project = project
        self.settings = settings
        teamID = settings.association.teamID ?? projectTeamID
    }

    public func isAssociated(with host: String) -> Bool {
        settings.association.domains.contains { $0.lowercased() == host.lowercased() }
    }

    /// The bundle IDs that a host can list in its `apple-app-site-association` file. Empty without a team.
    public var bundleIDs: [String] { teamID == nil ? [] : settings.bundleIDs }

    /// The packages that a host can list in its `assetlinks.json` file. Empty without a fingerprint.
    public var packages: [String] {
        settings.association.androidFingerprints.isEmpty ? [] : settings.callers.androidPackages
    }

    /// The certificate fingerprints, in upper case with colons, as Android compares them.
    public var fingerprints: [String] {
        settings.association.androidFingerprints.map { text in
            let digits = Array(text.uppercased().filter { $0 != ":" })
            return stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<min($0 + 2, digits.count)]) }
                .joined(separator: ":")
        }
    }
}

extension Realm {
    /// The apps with the team that signs them.
    public var associatedApps: [AssociatedApp] {
        project.apps.map {
            AssociatedApp($0.settings, of: project.id, projectTeamID: settings(of: .apple)?.apple?.teamID)
        }
    }
}

extension [AssociatedApp] {
    /// The hosts that several projects share, with these projects; only hosts that at least one Android app lists.
    /// Before Android 15, such an app may open the links of another project: its own intent filter decides which links
    /// of a host it opens, and not the host's `assetlinks.json` file.
    public var sharedHostsWithAndroidApps: [(host: String, projects: [ID<Project>])] {
        let listed = flatMap { app in app.settings.association.domains.map { (host: $0.lowercased(), app: app) } }
        return Dictionary(grouping: listed, by: \.host).sorted { $0.key < $1.key }.compactMap { host, listed in
            let projects = Set(listed.map(\.app.project))
            guard projects.count > 1, listed.contains(where: { !$0.app.packages.isEmpty }) else { return nil }
            return (host, projects.sorted { $0.rawValue < $1.rawValue })
        }
    }
}
