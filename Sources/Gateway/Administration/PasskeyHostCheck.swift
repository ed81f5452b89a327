internal import Encoding
internal import FoundationEssentials
internal import HTTP
internal import Identity
internal import JSON
package import Postgres
internal import Providers
internal import Storage

/// Fetches the documents that the hosts of RP IDs publish for passkeys, for `sekisho check --live`. The gateway itself
/// publishes those of its own host.
package struct PasskeyHostCheck: Sendable {
    private let pool: Pool
    private let ownHost: String?
    /// The origin of the gateway's pages.
    private let ownOrigin: String

    /// - Parameter publicURL: the URL of the gateway for clients.
    package init(pool: Pool, publicURL: String) {
        self.pool = pool
        ownHost = URL(string: publicURL)?.host?.lowercased()
        ownOrigin = publicURL.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
    }

    /// Returns one finding for each document that the passkeys of a project need.
    package func findings() async throws -> [DatabaseCheck.Finding] {
        try await DatabaseCheck.askingServers(on: pool, findings(send:))
    }

    /// Notes the projects whose passkeys the gateway's own pages cannot use. An app can use them nevertheless.
    package func pageNotes() async throws -> [DatabaseCheck.Finding] {
        try await ProjectStore(pool: pool, supporting: .live).projectRealms()
            .filter { $0.project.passkeys.isEnabled && !$0.acceptsPasskeys(on: ownOrigin) }
            .map { realm in
                .init(
                    isGood: true, isNote: true,
                    text:
                        "project \(realm.project.id), passkeys: the sign-in page and the account page do not offer them, because neither origins nor relatedOrigins has \(ownOrigin)"
                )
            }
    }

    /// - Parameter send: sends a request.
    func findings(send: DatabaseCheck.Sender) async throws -> [DatabaseCheck.Finding] {
        var findings: [DatabaseCheck.Finding] = []
        for realm in try await ProjectStore(pool: pool, supporting: .live).projectRealms() {
            let settings = realm.project.passkeys
            guard settings.isEnabled, let rpID = settings.rpID, rpID != ownHost else { continue }
            for document in PasskeyDocument.all(of: settings, for: realm.associatedApps) {
                let url = "https://\(rpID)\(document.path)"
                let problem = try await DatabaseCheck.problem(
                    of: url, unreachable: "cannot be fetched", send, document.problem(of:))
                findings.append(
                    .init(
                        isGood: problem == nil,
                        text: "project \(realm.project.id), passkeys: \(url) \(problem ?? "is complete")"))
            }
        }
        return findings
    }
}

/// A document that the host of an RP ID publishes.
private struct PasskeyDocument {
    let path: String
    /// The media type without which browsers ignore the document; `nil` if every type is accepted.
    var mediaType: ByteText?
    /// What the document has to list.
    let required: [ByteText]
    /// Returns what the document lists.
    let listed: ([UInt8]) throws -> Set<ByteText>

    /// Returns the documents that have to list anything.
    static func all(of settings: PasskeySettings, for apps: [AssociatedApp]) -> [PasskeyDocument] {
        let documents = [
            PasskeyDocument(
                path: "/.well-known/webauthn", mediaType: "application/json",
                required: settings.relatedOrigins.map { ByteText($0) }
            ) {
                Set(try StrictJSON.decode(RelatedOrigins.self, from: $0).origins)
            },
            PasskeyDocument(
                path: "/.well-known/apple-app-site-association",
                required: apps.flatMap { app in app.bundleIDs.map { ByteText("\(app.teamID ?? "").\($0)") } }
            ) {
                Set(try StrictJSON.decode(AppleAppSiteAssociation.self, from: $0).webcredentials?.apps ?? [])
            },
            PasskeyDocument(
                path: "/.well-known/assetlinks.json",
                required: apps.flatMap { app in
                    app.packages.flatMap { package in app.fingerprints.map { AssetLink.name(package, $0) } }
                }
            ) {
                Set(try StrictJSON.decode([AssetLink].self, from: $0).flatMap(\.appsThatShareCredentials))
            },
        ]
        return documents.filter { !$0.required.isEmpty }
    }

    /// - Returns: `nil` if the response has everything that the document has to list.
    func problem(of response: ClientResponse) -> String? {
        guard response.status == 200 else { return "is answered with status \(response.status)" }
        let received = (response.headers["Content-Type"] ?? "").prefix { $0 != ";" && $0 != " " }
        if let mediaType, ByteText(received.lowercased()) != mediaType {
            return "does not have the media type \(mediaType)"
        }
        guard let listed = try? listed(response.body) else { return "is not a document of this kind" }
        let missing = required.filter { !listed.contains($0) }
        return missing.isEmpty ? nil : "does not list \(missing.map(\.rawValue).joined(separator: ", "))"
    }
}

private struct RelatedOrigins: Decodable {
    let origins: [ByteText]
}

private struct AppleAppSiteAssociation: Decodable {
    struct WebCredentials: Decodable {
        let apps: [ByteText]
    }

    let webcredentials: WebCredentials?
}

/// A statement of Digital Asset Links.
private struct AssetLink: Decodable {
    struct Target: Decodable {
        enum CodingKeys: String, CodingKey {
            case package = "package_name"
            case fingerprints = "sha256_cert_fingerprints"
        }

        let package: String?
        let fingerprints: [String]?
    }

    let relation: [ByteText]
    let target: Target

    /// The apps that may use the credentials of the host.
    var appsThatShareCredentials: [ByteText] {
        guard relation.contains("delegate_permission/common.get_login_creds"), let package = target.package else {
            return []
        }
        return (target.fingerprints ?? []).map { Self.name(package, $0) }
    }

    /// The name of an app that is signed with a certificate.
    static func name(_ package: String, _ fingerprint: String) -> ByteText { ByteText("\(package) (\(fingerprint))") }
}
