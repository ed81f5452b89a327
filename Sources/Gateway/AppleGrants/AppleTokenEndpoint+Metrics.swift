internal import Identity
internal import Telemetry

extension AppleTokenEndpoint {
    /// Counts requests and their outcomes, and logs an error if Apple rejects a project's key: then no code is
    /// redeemed, and no token is checked or revoked.
    func counted(by metrics: Metrics, log: Log) -> AppleTokenEndpoint {
        let requests = AppleRequestRecord(metrics: metrics, log: log)
        return AppleTokenEndpoint { [exchange] code, client in
            let result = try await exchange(code, client)
            requests.note("exchange", result.response, client)
            return result
        } check: { [check] token, client in
            let answer = try await check(token, client)
            requests.note("check", answer, client)
            return answer
        } revoke: { [revoke] token, type, client in
            let answer = try await revoke(token, type, client)
            requests.note("revoke", answer, client)
            return answer
        }
    }
}

private struct AppleRequestRecord: Sendable {
    private let requests: Counter
    private let warnings = ThrottledWarnings()
    private let log: Log

    init(metrics: Metrics, log: Log) {
        self.log = log
        requests = metrics.counter(
            "sekisho_apple_requests_total", help: "Requests to Apple's token endpoints.",
            labels: [
                MetricLabel("operation", ["exchange", "check", "revoke"]),
                MetricLabel("outcome", ["accepted", "unavailable"] + AppleErrorCode.allCases.map(\.rawValue)),
            ])
    }

    func note(_ operation: String, _ answer: AppleResponse, _ client: AppleClientCredentials) {
        switch answer {
        case .accepted: requests.increment(operation, "accepted")
        case .unavailable: requests.increment(operation, "unavailable")
        case .rejected(let code):
            requests.increment(operation, code.rawValue)
            guard code.isConfigurationFault, warnings.claim(for: "\(client.clientID) \(client.key)") else { return }
            log.error(
                "apple rejects the client secret",
                [
                    "clientId": .string(client.clientID), "teamId": .string(client.key.teamID),
                    "keyId": .string(client.key.keyID), "error": .string(code.rawValue),
                ])
        }
    }
}
