internal import Encoding
internal import Identity

/// The blocking functions of a project, in the shape of Identity Platform's `BlockingFunctionsConfig`.
struct BlockingFunctionsInput: Decodable {
    struct Trigger: Decodable {
        let functionUri: String?
    }

    struct ForwardedCredentials: Decodable {
        let idToken: Bool?
        let accessToken: Bool?
        let refreshToken: Bool?
    }

    let triggers: [ByteText: Trigger]?
    let forwardInboundCredentials: ForwardedCredentials?

    /// Changes the members that `mask` covers. A covered member that the input lacks is removed.
    func apply(
        to functions: inout BlockingFunctions, maskedBy mask: FieldMask, allowingLoopback allowsLoopback: Bool
    ) throws(BlockingFunctionRefusal) {
        let triggers = try self.triggers(allowingLoopback: allowsLoopback)
        for event in BlockingFunctions.Event.allCases {
            let path = "blockingFunctions.triggers.\(event.rawValue)"
            if mask.contains(path) || mask.contains("\(path).functionUri") {
                functions.triggers[event] = triggers[event]
            }
        }
        let forwarded = forwardInboundCredentials
        for (name, value, member) in [
            ("idToken", forwarded?.idToken, \BlockingFunctions.forwardsIDToken),
            ("accessToken", forwarded?.accessToken, \.forwardsAccessToken),
            ("refreshToken", forwarded?.refreshToken, \.forwardsRefreshToken),
        ] where mask.contains("blockingFunctions.forwardInboundCredentials.\(name)") {
            functions[keyPath: member] = value ?? false
        }
    }

    private func triggers(
        allowingLoopback allowsLoopback: Bool
    ) throws(BlockingFunctionRefusal) -> [BlockingFunctions.Event: CallbackURL] {
        var urls: [BlockingFunctions.Event: CallbackURL] = [:]
        for (name, trigger) in triggers ?? [:] {
            guard let event = BlockingFunctions.Event(rawValue: name.rawValue) else { throw .invalidEvent }
            guard let text = trigger.functionUri.nonEmpty else { continue }
            guard let url = CallbackURL(text, allowsLoopback: allowsLoopback) else { throw .invalidURL }
            urls[event] = url
        }
        return urls
    }
}

enum BlockingFunctionRefusal: Refusal, Hashable {
    case invalidEvent
    case invalidURL

    var code: ErrorCode { .invalidBlockingFunction }

    var detail: String? {
        switch self {
        case .invalidEvent: "((Event type is invalid.))"
        case .invalidURL: "((Expected an absolute URI with valid scheme and host.))"
        }
    }
}

/// The blocking functions of a project in a response.
struct BlockingFunctionsConfig: Encodable {
    struct Trigger: Encodable {
        let functionUri: String
    }

    struct ForwardedCredentials: Encodable {
        let idToken: Bool
        let accessToken: Bool
        let refreshToken: Bool
    }

    let triggers: [String: Trigger]?
    let forwardInboundCredentials: ForwardedCredentials?

    init(_ functions: BlockingFunctions) {
        guard !functions.isEmpty else {
            (triggers, forwardInboundCredentials) = (nil, nil)
            return
        }
        triggers = Dictionary(
            uniqueKeysWithValues: functions.triggers.map { ($0.key.rawValue, Trigger(functionUri: $0.value.rawValue)) })
        forwardInboundCredentials = ForwardedCredentials(
            idToken: functions.forwardsIDToken, accessToken: functions.forwardsAccessToken,
            refreshToken: functions.forwardsRefreshToken)
    }
}
