internal import EventLoop
internal import HTTP
internal import Postgres

/// The checks of `sekisho check --live` that send requests to servers that projects name.
extension DatabaseCheck {
    /// Sends a request.
    typealias Sender = (ClientRequest) async throws -> ClientResponse

    /// Runs a check with a client of its own.
    static func askingServers(
        on pool: Pool, _ findings: (Sender) async throws -> [Finding]
    ) async throws -> [Finding] {
        let client = try HTTP.Client(loop: pool.loop)
        return try await perform {
            try await findings { try await client.send($0) }
        } finally: {
            await client.close()
        }
    }

    /// Sends a GET to a server of a project.
    ///
    /// - Parameter problem: returns what is wrong with the response; `nil` if nothing is.
    /// - Returns: what is wrong; `nil` if nothing is.
    static func problem(
        of url: String, cutsLongResponse: Bool = false, unreachable: String, _ send: Sender,
        _ problem: (ClientResponse) -> String?
    ) async throws -> String? {
        var request = ClientRequest(.get, url, destination: .fromProject(allowingPrivateAddresses: false))
        request.cutsLongResponse = cutsLongResponse
        do {
            return problem(try await send(request))
        } catch let fault as ClientFault {
            return "\(unreachable) (\(fault))"
        }
    }
}
