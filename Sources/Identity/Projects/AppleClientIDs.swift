internal import Encoding

/// Apple's client IDs are bundle IDs (tokens of native apps) and Services IDs (tokens of web flows). Both have the same
/// form, so the lists of bundle IDs in the project's apps decide which of them an ID is.
extension ProjectConfiguration {
    /// A problem for each client ID of `apple.com` that Apple cannot have issued, in the project's list and in those of
    /// its apps. IDs that no provider can have issued are other problems.
    var appleClientIDProblems: [ConfigurationProblem] {
        let apple = realm.settings(of: .apple)
        let lists: [(app: ID<App>?, clientIDs: [String])] =
            [(nil, apple?.clientIDs ?? [])]
            + apps.map { ($0.app.id, $0.app.settings.clientIDs[ByteText(ProviderID.apple.rawValue)] ?? []) }
        return lists.flatMap { app, clientIDs in
            clientIDs.indices.filter {
                clientIDs[$0].isVisibleASCII(Limits.clientIDLength)
                    && !isAppleClientID(clientIDs[$0], team: apple?.apple?.teamID)
            }
            .map { .appleClientID(index: $0, app: app) }
        }
    }

    /// Whether the text has the form of a bundle ID, and is neither preceded by the team ID nor a client ID of another
    /// provider.
    private func isAppleClientID(_ text: String, team: String?) -> Bool {
        guard Self.isBundleID(text) else { return false }
        let isOfOtherProvider = realm.project.supportedProviders.all.compactMap(\.clientIDSuffix)
            .contains { text.endsExactly(with: $0) }
        return !isOfOtherProvider && team.map { text.beginsExactly(with: "\($0).") } != true
    }
}

extension Realm {
    /// What an operator has to verify at Apple, because the gateway cannot.
    public enum AppleClientIDNote: Hashable, Sendable {
        /// No app lists the client ID as its bundle ID, so it counts as a Services ID.
        case countsAsServicesID(String)
        /// The platform of the app is not declared, so any client ID counts as the one that it uses.
        case platformNotDeclared(ID<App>)
    }

    /// The notes about the client IDs of `apple.com`; empty if Apple is not configured.
    public func appleClientIDNotes(for apps: [App]) -> [AppleClientIDNote] {
        guard let apple = settings(of: .apple) else { return [] }
        let listed = apps.flatMap { $0.settings.clientIDs[ByteText(ProviderID.apple.rawValue)] ?? [] }
        let bundleIDs = Set(apps.flatMap(\.settings.bundleIDs).map { ByteText($0) })
        var seen: Set<ByteText> = []
        return (apple.clientIDs + listed).filter {
            !bundleIDs.contains(ByteText($0)) && seen.insert(ByteText($0)).inserted
        }
        .map { .countsAsServicesID($0) }
            + apps.filter { $0.settings.platform == .other }.map { .platformNotDeclared($0.id) }
    }
}

extension Realm.AppleClientIDNote: CustomStringConvertible {
    public var description: String {
        switch self {
        case .countsAsServicesID(let clientID):
            "apple.com uses \(clientID) as a Services ID, because no app lists it in bundleIds: if it is a bundle ID, add it to its app"
        case .platformNotDeclared(let app):
            "app \(app) has the platform `other`, so the gateway cannot check whether apple.com has a client ID for it: set its platform"
        }
    }
}
