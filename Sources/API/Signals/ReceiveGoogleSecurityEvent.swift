internal import HTTP
internal import Identity
internal import Telemetry

extension Endpoint {
    /// Receives a security event token from Google, whose body is the token itself, of any content type (RFC 8935 §2).
    static let receiveGoogleSecurityEvent = unauthenticated(
        "receiveGoogleSecurityEvent", "/v1/google/securityEvents", .post
    ) { call in
        let metrics = call.pipeline.metrics.googleSignals
        do {
            let outcome = try await call.services.googleSignals.receive(
                call.securityEventToken(), from: call.context)
            metrics.received.increment(outcome.rawValue)
            return Response(status: 202)
        } catch let refusal as GoogleSignalRefusal {
            metrics.refused.increment(refusal.rawValue)
            return try .json(SecurityEventError(refusal), status: 400)
        } catch let limit as TooManyAttempts {
            // With 400, Google would not send the token again (RFC 8935 §2.3).
            metrics.refused.increment("limit")
            return Response(status: 429, headers: ["Retry-After": String(limit.retryAfter.components.seconds + 1)])
        } catch {
            metrics.refused.increment("unavailable")
            throw error
        }
    }
}

extension EndpointCall {
    /// The body without white space around it. ``GoogleSignalService`` checks its form.
    fileprivate func securityEventToken() -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let body = request.body.drop(while: isSpace)
        return String(decoding: body.prefix(body.count - body.reversed().prefix(while: isSpace).count), as: UTF8.self)
    }
}

/// Counts security event tokens of Google.
struct GoogleSignalMetrics: Sendable {
    let received: Counter
    let refused: Counter

    init(registry: Metrics) {
        received = registry.counter(
            "sekisho_google_signals_total", help: "Security event tokens of Google that were accepted.",
            labels: [MetricLabel("outcome", GoogleSignalService.Outcome.allCases.map(\.rawValue))])
        refused = registry.counter(
            "sekisho_google_signals_refused_total",
            help: "Security event tokens that were rejected, or could not be verified or stored yet.",
            labels: [MetricLabel("reason", GoogleSignalRefusal.allCases.map(\.rawValue) + ["limit", "unavailable"])])
    }
}

/// An error of RFC 8935 §2.3.
private struct SecurityEventError: Encodable {
    let err: String
    let description: String

    init(_ refusal: GoogleSignalRefusal) {
        err = refusal.rawValue
        description =
            switch refusal {
            case .malformed: "The body is not a security event token."
            case .signature: "The token is not signed by Google."
            case .issuer: "The issuer of the token is not Google."
            case .audience: "The audience of the token is not a client ID of this gateway."
            }
    }
}
