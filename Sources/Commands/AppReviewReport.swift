internal import Gateway
internal import Identity
internal import Storage

/// The report of `check --app-review`.
struct AppReviewReport: Encodable {
    /// A requirement of a guideline and its status.
    struct Point: Encodable {
        let guideline: String
        let status: String
        let text: String
    }

    /// The app's exemption from guideline 4.8.
    struct Exemption: Encodable {
        let kind: String
        let reason: String
        let declaredBy: String?
        let declaredAt: String?
    }

    /// The report on an app, either with the providers of its project or with those of a tenant.
    struct Entry: Encodable {
        let projectId: String
        /// The tenant whose providers the app has in this entry; `nil` for the project's providers.
        let tenantId: String?
        let appId: String
        let name: String
        let platform: String
        let distribution: String
        let signInMethods: [String]
        let exemption: Exemption?
        let points: [Point]
    }

    let passes: Bool
    let apps: [Entry]

    /// Writes the report to standard output.
    ///
    /// - Parameter project: `nil` reports every project.
    /// - Throws: ``Failure`` if a requirement is `violated`, or if the project does not exist.
    static func run(_ project: ID<Project>?, asJSON: Bool) throws {
        try Administration.run { administration in
            let store = administration.projects
            let realms = try await store.projectRealms().filter { project == nil || $0.project.id == project }
            if let project, realms.isEmpty { throw Failure(message: "project \(project) does not exist") }
            var entries: [Entry] = []
            var passes = true
            for realm in realms {
                let project = realm.project
                let tenants = project.hasTenants ? try await store.tenantsWithSignInMethods(of: project.id) : []
                let apps = try await store.apps(of: project.id)
                for realm in [realm] + tenants {
                    let usesCustomTokens = try await store.usesCustomTokens(in: realm.id)
                    let clientIDsWithRedeemedCodes = try await AppleKeyStore(pool: administration.pool)
                        .clientIDsWithRedeemedCodes(in: realm.id)
                    for configured in apps {
                        let review = AppReview(
                            of: configured.app, in: realm, usesCustomTokens: usesCustomTokens,
                            clientIDsWithRedeemedCodes: clientIDsWithRedeemedCodes)
                        passes = passes && review.passes
                        entries.append(Entry(configured, review, in: realm))
                    }
                }
            }
            let report = AppReviewReport(passes: passes, apps: entries)
            if asJSON {
                try Terminal.writeJSON(report)
            } else {
                for line in report.lines { Terminal.writeLine(line) }
            }
            guard passes else { throw Failure(message: "an app violates an App Review guideline") }
        }
    }

    private var lines: [String] {
        apps.flatMap { entry in
            let methods =
                entry.signInMethods.isEmpty ? "no sign-in methods" : entry.signInMethods.joined(separator: ", ")
            let tenant = entry.tenantId.map { ", tenant \($0)" } ?? ""
            let head =
                "project \(entry.projectId)\(tenant), app \(entry.appId) (\(entry.platform), \(entry.distribution)): \(methods)"
            return [head]
                + entry.points.map {
                    "  \($0.status.padded(to: 8))  \($0.guideline.padded(to: 8))  \($0.text)"
                }
        }
    }
}

extension AppReviewReport.Entry {
    fileprivate init(_ configured: ConfiguredApp, _ review: AppReview, in realm: Realm) {
        let settings = configured.app.settings
        self.init(
            projectId: realm.project.id.rawValue, tenantId: realm.tenant?.id.rawValue,
            appId: configured.app.id.rawValue,
            name: configured.name,
            platform: settings.platform.rawValue, distribution: settings.distribution.rawValue,
            signInMethods: LoginServices(of: configured.app, in: realm).methods.map(\.rawValue),
            exemption: settings.exemption.map {
                .init(
                    kind: $0.kind.rawValue, reason: $0.reason.text, declaredBy: $0.declaration?.actor,
                    declaredAt: $0.declaration?.declaredAt.iso8601)
            },
            points: review.points.map { .init(guideline: $0.guideline, status: $0.status.rawValue, text: $0.text) })
    }
}
