internal import Foundation

/// The members of the gateway's error body that the library reads.
struct ServerError: Sendable {
    /// The error code, for example `EMAIL_EXISTS`.
    let code: String
    /// The explanation that follows a code in `message`; the whole `message` if it does not begin with a code.
    let text: String?
    /// `errors[0].reason`.
    let reason: String?
    /// The first `metadata` in `details`; empty if there is none.
    let metadata: [String: String]

    private struct Envelope: Decodable {
        let error: Body

        struct Body: Decodable {
            let message: String
            let errorCode: String?
            let errors: [Item]?
            let details: [Detail]?
        }

        struct Item: Decodable {
            let reason: String?
        }

        struct Detail: Decodable {
            let metadata: [String: String]?
        }
    }

    /// - Returns: `nil` if the body is not an error of the gateway.
    init?(decoding body: Data) {
        guard let error = try? JSONDecoder().decode(Envelope.self, from: body).error else { return nil }
        self.init(
            message: error.message, errorCode: error.errorCode, reason: error.errors?.first?.reason,
            metadata: error.details?.lazy.compactMap(\.metadata).first ?? [:])
    }

    init(message: String, errorCode: String? = nil, reason: String? = nil, metadata: [String: String] = [:]) {
        let parts = message.split(separator: ":", maxSplits: 1).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        code = errorCode ?? parts.first ?? message
        // The code in the message can be another one that Firebase's clients know.
        let beginsWithCode =
            parts.first == code || parts.first?.range(of: "^[A-Z0-9_]+$", options: .regularExpression) != nil
        text = beginsWithCode && parts.count == 2 ? parts[1] : parts.first == code ? nil : message
        self.reason = reason
        self.metadata = metadata
    }

    /// The error that the app gets.
    var authError: AuthErrorCode {
        // Like FirebaseAuth, handles the reasons that Google's servers send for rejected API keys. This gateway sends
        // error codes instead.
        let known =
            if let reason, reason.hasPrefix("keyInvalid") {
                AuthErrorCode.invalidAPIKey
            } else if reason == "ipRefererBlocked" {
                AuthErrorCode.appNotAuthorized
            } else {
                Self.codes[code] ?? .internalError
            }
        let isUnknown = known == .internalError
        var details: [String: any Sendable] = [AuthErrors.userInfoServerCodeKey: code]
        details[AuthErrorCode.pendingTokenKey] = metadata["pendingToken"]
        return known.with(text ?? (isUnknown ? "The gateway rejected the request: \(code)." : nil), details: details)
    }

    /// Whether a code means that the session has ended, or that the account is deleted or disabled.
    static func endsSession(_ code: String) -> Bool {
        ["USER_NOT_FOUND", "USER_DISABLED", "TOKEN_EXPIRED"].contains(code)
    }

    /// Whether a code means that the ID token is not accepted. `TOKEN_EXPIRED` can also mean that the session has ended
    /// (``endsSession(_:)``). After this code, a refresh shows which is the case.
    static func rejectsIDToken(_ code: String) -> Bool { ["INVALID_ID_TOKEN", "TOKEN_EXPIRED"].contains(code) }
}
