internal import Identity
internal import Telemetry

extension AppleTokenEndpoint {
    /// Returns an endpoint that sends the same requests, counts them and their outcomes, and logs an error if Apple
    /// rejects a project's key. While Apple rejects the key, the gateway can neither redeem codes nor check or revoke
    /// tokens.
    func counted(by metrics: Metrics, log: Log) -> AppleTokenEndpoint {
        let reporter = AppleRequestReporter(metrics: metrics, log: log)
        return AppleTokenEndpoint { [exchange] code, client in
            let result = try await exchange(code, client)
            reporter.report("exchange", result.response, client)
            return result
        } check: { [check] token, client in
            let response = try await check(token, client)
            reporter.report("check", response, client)
            return response
        } revoke: { [revoke] token, type, client in
            let response = try await revoke(token, type, client)
            reporter.report("revoke", response, client)
            return response
        }
    }
}

private struct AppleRequestReporter: Sendable {
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

    func report(_ operation: String, _ response: AppleResponse, _ client: AppleClientCredentials) {
        switch response {
        case .accepted: requests.increment(operation, "accepted")
        case .unavailable: requests.increment(operation, "unavailable")
        case .rejected(let code):
            requests.increment(operation, code.rawValue)
            guard code.isConfigurationFault, warnings.mayWriteNow(for: "\(client.clientID) \(client.key)") else {
                return
            }
            log.error(
                "apple rejects the client ID or its private key: run `sekisho check --live`",
                [
                    "clientId": .string(client.clientID), "teamId": .string(client.key.teamID),
                    "keyId": .string(client.key.keyID), "error": .string(code.rawValue),
                ])
        }
    }
}
