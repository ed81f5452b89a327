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
        try await DatabaseCheck.askingServers(on: pool, findings(send:))
    }

    /// - Parameter send: sends a request.
    func findings(send: DatabaseCheck.Sender) async throws -> [DatabaseCheck.Finding] {
        var findings: [DatabaseCheck.Finding] = []
        for realm in try await ProjectStore(pool: pool, supporting: .live).projectRealms() {
            guard let url = realm.project.sms.url else { continue }
            let problem = try await DatabaseCheck.problem(
                of: url, cutsLongResponse: true, unreachable: "cannot be reached", send
            ) { _ in nil }
            findings.append(
                .init(
                    isGood: problem == nil,
                    text: "project \(realm.project.id), sms: \(url) \(problem ?? "can be reached")"))
        }
        return findings
    }
}
