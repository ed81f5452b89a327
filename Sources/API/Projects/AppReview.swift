internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns how an app meets the App Review guidelines about sign-in.
    static let getAppReview = administrator(
        "getAppReview", .get, "/v2/projects/{project}/apps/{appId}/review", needs: .readConfig
    ) { call, administrator in
        let configuration = try await call.configuration(for: administrator)
        guard let configured = configuration.app(ID(call.parameters["appId"] ?? "")) else {
            throw RequestRefusal.rejected(.configurationNotFound)
        }
        let facts = try await call.services.projects.reviewFacts(configuration.realm.id)
        return try .json(
            AppReviewResponse(
                AppReview(
                    of: configured.app, in: configuration.realm, usesCustomTokens: facts.usesCustomTokens,
                    clientIDsWithRedeemedCodes: facts.clientIDsWithRedeemedCodes)))
    }
}

private struct AppReviewResponse: Encodable {
    struct Point: Encodable {
        let guideline: String
        let status: String
        let text: String
    }

    let passes: Bool
    let points: [Point]

    init(_ review: AppReview) {
        passes = review.passes
        points = review.points.map { Point(guideline: $0.guideline, status: $0.status.rawValue, text: $0.text) }
    }
}
