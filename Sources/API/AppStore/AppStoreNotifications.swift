internal import HTTP
internal import Identity
internal import Telemetry

extension Endpoint {
    /// Receives a server notification of the App Store. Only the withdrawal of a parent's consent has an effect.
    static let receiveAppStoreNotification = unauthenticated(
        "receiveAppStoreNotification", "/v1/apple/appStoreNotifications", .post
    ) { call in
        let metrics = call.pipeline.metrics.appStore
        do {
            let outcome = try await call.services.appStore.receive(from: call.context) {
                let request = try call.decodedBody(as: AppStoreNotificationRequest.self)
                guard let text = request.signedPayload, !text.isEmpty else {
                    throw RequestRefusal.invalidField("/signedPayload", "must be present")
                }
                return text
            }
            metrics.received.increment(outcome.rawValue)
            return try .json(EmptyObject())
        } catch let refusal as AppStoreRefusal {
            metrics.refused.increment(refusal.rawValue)
            throw refusal
        } catch let refusal as RequestRefusal {
            metrics.refused.increment(AppStoreRefusal.malformed.rawValue)
            throw refusal
        } catch {
            metrics.refused.increment(error is TooManyAttempts ? "limit" : "unavailable")
            throw error
        }
    }

    /// Stores the App Store transaction with which the caller's account is used.
    static let setAppTransaction = client("setAppTransaction", .post, "/v1/accounts:setAppTransaction") {
        call, client in
        let request = try call.body(as: SetAppTransactionRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        guard let text = request.signedAppTransaction, !text.isEmpty else {
            throw RequestRefusal.invalidField("/signedAppTransaction", "must be present")
        }
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        try await call.services.appStore.set(text, of: caller, in: client.realm, from: call.context)
        return .noContent
    }
}

/// Counts notifications of the App Store.
struct AppStoreMetrics: Sendable {
    let received: Counter
    let refused: Counter

    init(registry: Metrics) {
        received = registry.counter(
            "sekisho_app_store_notifications_total", help: "Notifications of the App Store that were accepted.",
            labels: [MetricLabel("outcome", AppStoreService.Outcome.allCases.map(\.rawValue))])
        refused = registry.counter(
            "sekisho_app_store_notifications_refused_total",
            help: "Notifications that were rejected, or could not be stored yet.",
            labels: [MetricLabel("reason", AppStoreRefusal.allCases.map(\.rawValue) + ["limit", "unavailable"])])
    }
}

private struct AppStoreNotificationRequest: Decodable {
    let signedPayload: String?
}

private struct SetAppTransactionRequest: ClientRequestBody {
    let idToken: String?
    let signedAppTransaction: String?
    let tenantId: String?
    let targetProjectId: String?
}
