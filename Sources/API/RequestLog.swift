internal import HTTP
internal import Identity
internal import Telemetry

extension Log {
    /// One line for each request: never a token, an address, a body or a query.
    func note(_ exchange: Exchange, of request: Request, from prefix: String, took duration: Duration) {
        var fields: [String: LogValue] = [
            "requestId": .string(request.id), "status": .int(exchange.response.status),
            "ms": .double(duration / .milliseconds(1)), "address": .string(prefix),
        ]
        if let operationID = exchange.operationID { fields["operationId"] = .string(operationID) }
        if let project = exchange.project { fields["project"] = .string(project.rawValue) }
        if let refusal = exchange.refusal { fields["refusal"] = .string(refusal) }
        if let fault = exchange.fault {
            fields["cause"] = .string(
                "\(String(reflecting: type(of: fault))): \(String(describing: fault).prefix(500))")
            error("request", fields)
        } else {
            info("request", fields)
        }
    }
}
