internal import HTTP
internal import Identity
internal import Telemetry

/// Tells the operator of each request, in one line and in numbers: never a token, an address, a body or a query.
struct Observer: Sendable {
    let log: Log
    let metrics: Metrics

    func note(_ exchange: Exchange, of request: Request, from prefix: String, took duration: Duration) {
        let milliseconds = duration / .milliseconds(1)
        var fields: [String: LogValue] = [
            "requestId": .string(request.id), "status": .int(exchange.response.status),
            "ms": .double(milliseconds), "address": .string(prefix),
        ]
        if let operationID = exchange.operationID { fields["operationId"] = .string(operationID) }
        if let project = exchange.project { fields["project"] = .string(project.rawValue) }
        if let refusal = exchange.refusal { fields["refusal"] = .string(refusal) }
        if let fault = exchange.fault {
            fields["cause"] = .string(Self.cause(fault))
            log.error("request", fields)
        } else {
            log.info("request", fields)
        }
    }

    private static func cause(_ fault: any Error) -> String {
        "\(String(reflecting: type(of: fault))): \(String(describing: fault).prefix(500))"
    }
}
