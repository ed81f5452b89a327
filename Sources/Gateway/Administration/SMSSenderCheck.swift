internal import EventLoop
internal import HTTP
internal import Identity
package import Postgres
internal import Providers
internal import Storage

/// Connects to the senders of text messages, for `sekisho check --live`. Sends no message: it sends a GET without a
/// body, to which every sender responds, even if with an error.
package struct SMSSenderCheck: Sendable {
    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Returns one finding for each project that has a sender.
    package func findings() async throws -> [DatabaseCheck.Finding] {
        let client = try HTTP.Client(loop: pool.loop)
        return try await perform {
            try await findings { try await client.send($0) }
        } finally: {
            await client.close()
        }
    }

    /// - Parameter send: sends a request.
    func findings(
        send: (ClientRequest) async throws -> ClientResponse
    ) async throws -> [DatabaseCheck.Finding] {
        var findings: [DatabaseCheck.Finding] = []
        for realm in try await ProjectStore(pool: pool, supporting: .live).projectRealms() {
            guard let url = realm.project.sms.url else { continue }
            var request = ClientRequest(.get, url, destination: .fromProject(allowingPrivateAddresses: false))
            request.cutsLongResponse = true
            var problem: String?
            do {
                _ = try await send(request)
            } catch let fault as ClientFault {
                problem = "cannot be reached (\(fault))"
            }
            findings.append(
                .init(
                    isGood: problem == nil,
                    text: "project \(realm.project.id), sms: \(url) \(problem ?? "can be reached")"))
        }
        return findings
    }
}
