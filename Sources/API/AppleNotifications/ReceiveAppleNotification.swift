internal import HTTP
internal import Identity

extension Endpoint {
    /// Receives a notification from Apple, for all projects and tenants that list the notification's audience as a
    /// client ID.
    static let receiveAppleNotification = notification("receiveAppleNotification", "/v1/apple/notifications")

    /// Receives a notification from Apple, for the project in the path and its tenants only.
    static let receiveProjectAppleNotification = notification(
        "receiveProjectAppleNotification", "/{project}/v1/apple/notifications")

    private static func notification(_ operationID: String, _ path: String) -> Endpoint {
        unauthenticated(operationID, path, .post) { call in
            let metrics = call.pipeline.metrics.appleNotifications
            return try await metrics.countingErrors {
                let receipt = try await call.services.apple.notifications.receive(
                    in: call.parameters["project"].map { ID($0) }, from: call.context
                ) {
                    let request = try call.decodedBody(as: ReceiveAppleNotificationRequest.self)
                    guard let payload = request.payload, !payload.isEmpty else {
                        throw RequestRefusal.invalidField("/payload", "must be present")
                    }
                    return payload
                }
                metrics.record(receipt)
                return try .json(EmptyObject())
            }
        }
    }
}

private struct ReceiveAppleNotificationRequest: Decodable {
    let payload: String?
}
