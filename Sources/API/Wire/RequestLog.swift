internal import HTTP
internal import Identity
internal import Telemetry

extension Log {
    /// One line for each request: never a token, an address, a body or a query.
    func note(_ outcome: RequestOutcome, of request: Request, from prefix: String, took duration: Duration) {
        var fields: LogFields = [
            "requestId": .string(request.id), "status": .int(outcome.response.status),
            "ms": .double(duration.milliseconds), "address": .string(prefix),
        ]
        if let operationID = outcome.operationID { fields.add("operationId", .string(operationID)) }
        if let realm = outcome.realm { fields.add("project", .string(realm.rawValue)) }
        if let refusal = outcome.refusal { fields.add("refusal", .string(refusal)) }
        if let fault = outcome.fault {
            fields.add(
                "cause", .string("\(String(reflecting: type(of: fault))): \(String(describing: fault).prefix(500))"))
            error("request", fields)
        } else {
            info("request", fields)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e6
    }
}
