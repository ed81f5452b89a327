package import Crypto
internal import EventLoop
internal import HTTP
internal import Identity
package import Postgres
internal import Providers
internal import Storage

/// Asks Apple whether the stored private key works for each client ID in the settings of `apple.com`, for
/// `sekisho check --live`. Changes nothing at Apple.
package struct AppleKeyCheck: Sendable {
    /// A code that Apple always rejects. Apple's error shows whether the client secret was accepted.
    private static let invalidCode = AuthorizationCode(code: Secret("sekisho-check"))

    private let pool: Pool
    private let masterKeys: MasterKeys

    package init(pool: Pool, masterKeys: MasterKeys) {
        self.pool = pool
        self.masterKeys = masterKeys
    }

    /// Returns one finding for each client ID of each project and tenant.
    package func findings() async throws -> [DatabaseCheck.Finding] {
        let client = try HTTP.Client(loop: pool.loop)
        return try await perform {
            try await findings(using: .http(client, at: .live, clock: .live))
        } finally: {
            await client.close()
        }
    }

    func findings(using endpoint: AppleTokenEndpoint) async throws -> [DatabaseCheck.Finding] {
        let store = ProjectStore(pool: pool, supporting: .live)
        let credentials = AppleCredentialsLookup.live(on: pool, under: masterKeys)
        var findings: [DatabaseCheck.Finding] = []
        for realm in try await store.projectRealms() {
            let project = realm.project
            let tenants = project.hasTenants ? try await store.tenantsWithSignInMethods(of: project.id) : []
            for realm in [realm] + tenants {
                for clientID in realm.settings(of: .apple)?.clientIDs ?? [] {
                    let client = AppleClientReference(realm: realm.id, clientID: clientID)
                    findings.append(try await finding(of: client, try await credentials.find(client), endpoint))
                }
            }
        }
        return findings
    }

    private func finding(
        of client: AppleClientReference, _ credentials: AppleClientCredentials?, _ endpoint: AppleTokenEndpoint
    ) async throws -> DatabaseCheck.Finding {
        let name = "project \(client.realm), apple.com, client ID \(client.clientID)"
        guard let credentials else {
            return .init(
                isGood: false,
                text: "\(name): team ID, key ID or private key is missing: add it with `sekisho projects apply`")
        }
        switch try await endpoint.exchange(Self.invalidCode, credentials) {
        case .rejected(let code) where code.isConfigurationFault:
            return .init(
                isGood: false,
                text: """
                    \(name): Apple rejects the private key (\(code.rawValue)). Check that team \(credentials.key.teamID) owns \
                    the client ID, that key \(credentials.key.keyID) is enabled for Sign in with Apple and configured for this \
                    App ID, that the private key is the file of this key, and that the clock of this machine is right
                    """)
        case .rejected, .tokens: return .init(isGood: true, text: "\(name): the private key works")
        case .unavailable(let reason):
            return .init(
                isGood: false, text: "\(name): the request to Apple failed (\(reason)); run the command again")
        }
    }
}
