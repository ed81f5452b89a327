internal import Crypto
internal import Encoding
internal import HTTP
public import Identity
internal import JSON

/// Sends one text message to the operator's sender.
public struct SMSSender: Sendable {
    /// The time limit of one attempt.
    public static let deadline: Duration = .seconds(10)

    private let call: SignedCall

    public init(_ call: SignedCall) {
        self.call = call
    }

    /// The result of one attempt.
    public enum Outcome: Hashable, Sendable {
        case accepted
        /// The sender may accept a repetition.
        case retry(failure: String)
        case failed(failure: String)
    }

    /// - Parameters:
    ///   - id: the idempotency key.
    ///   - secret: the signing secrets, separated by a space, or the password of the form.
    ///   - now: the time of the attempt.
    public func send(
        _ content: SMSContent, _ id: ID<OutgoingSMS>, by settings: SMSSettings, secret: Secret?, at now: Instant
    ) async -> Outcome {
        guard let url = settings.url else { return .failed(failure: "the project has no sender") }
        do {
            let response =
                switch settings.format {
                case .webhook: try await sendWebhook(content, id, to: url, secret, at: now)
                case .form: try await sendForm(content, to: url, settings, secret)
                }
            return Outcome(status: response.status, of: settings.format)
        } catch let fault as ClientFault {
            // A lost response of a form may belong to a message that was sent.
            let canRepeat = settings.format == .webhook ? fault != .destinationNotAllowed : fault.isNotOpened
            return canRepeat ? .retry(failure: "\(fault)") : .failed(failure: "\(fault)")
        } catch is CancellationError {
            return settings.format == .webhook ? .retry(failure: "interrupted") : .failed(failure: "interrupted")
        } catch {
            return .failed(failure: "the message cannot be encoded")
        }
    }

    private func sendWebhook(
        _ content: SMSContent, _ id: ID<OutgoingSMS>, to url: String, _ secret: Secret?, at now: Instant
    ) async throws -> ClientResponse {
        let secrets = (secret?.expose() ?? "").split(separator: " ").compactMap { WebhookSecret(String($0)) }
        let body = try StrictJSON.encode(Message(content, at: now))
        return try await call.post(
            body, to: url, signature: WebhookSignature(of: body, id: id.rawValue, at: now.seconds, secrets: secrets),
            deadline: Self.deadline)
    }

    private func sendForm(
        _ content: SMSContent, to url: String, _ settings: SMSSettings, _ secret: Secret?
    ) async throws -> ClientResponse {
        let values = [
            "number": content.phoneNumber, "text": content.text, "code": content.code, "locale": content.locale,
        ]
        let members = settings.fields.sorted { $0.key < $1.key }
            .map { ($0.key.rawValue, SMSTemplate.expand($0.value, values)) }
        var headers = Headers()
        if let username = settings.username {
            let credentials = Array("\(username):\(secret?.expose() ?? "")".utf8)
            headers.add("Authorization", "Basic " + Base64.encode(credentials))
        }
        return try await call.post(
            Array(PercentEncoding.encode(form: members).utf8), of: "application/x-www-form-urlencoded", to: url,
            headers: headers, deadline: Self.deadline)
    }

    /// The body of a webhook.
    private struct Message: Encodable {
        struct Content: Encodable {
            let phoneNumber: String
            let text: String
            let code: String
            let locale: String
            let purpose: String
            let projectId: String
            let tenantId: String?
            let appId: String?
            let expiresAt: String
        }

        let type = "sms.code"
        let timestamp: String
        let data: Content

        init(_ content: SMSContent, at now: Instant) {
            timestamp = now.iso8601
            data = Content(
                phoneNumber: content.phoneNumber, text: content.text, code: content.code, locale: content.locale,
                purpose: content.purpose, projectId: content.projectId, tenantId: content.tenantId,
                appId: content.appId, expiresAt: content.expiresAt.iso8601)
        }
    }
}

extension SMSSender.Outcome {
    /// 2xx: accepted; 408, 429 and 5xx: retry; every other status, redirects too: permanent. A form has no idempotency
    /// key, so that only 429 says for certain that the sender did not accept the message.
    init(status: Int, of format: SMSSettings.Format) {
        switch status {
        case 200...299: self = .accepted
        case 429: self = .retry(failure: "status 429")
        case 408 where format == .webhook, 500...599 where format == .webhook:
            self = .retry(failure: "status \(status)")
        default: self = .failed(failure: "status \(status)")
        }
    }
}

extension ClientFault {
    /// Whether no connection was opened.
    fileprivate var isNotOpened: Bool {
        switch self {
        case .unknownHost, .unreachable, .overloaded: true
        default: false
        }
    }
}
