public import Identity
internal import JSON

/// The reason why an endpoint itself rejects a request. The refusals of the domain have their own types.
public enum RequestRefusal: Refusal, Hashable {
    /// A code with its detail.
    case rejected(ErrorCode, String? = nil)
    /// The place of an invalid value, and the violated rule. The place is the JSON pointer of a member of the body
    /// (empty for the whole body), or `/` and the name of a parameter of the query.
    case invalidField(String, String)
    /// The body is not valid JSON.
    case unreadableBody(String)
    case notFound
    case methodNotAllowed
    /// A part of the protocol that this release lacks. The part's name is the subject of the message.
    case notImplemented(String)

    public var code: ErrorCode {
        switch self {
        case .rejected(let code, _): code
        case .invalidField, .unreadableBody: .invalidArgument
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notImplemented: .notImplemented
        }
    }

    public var detail: String? {
        if case .rejected(_, let detail) = self { detail } else { nil }
    }

    public var message: String {
        switch self {
        case .rejected: codeWithDetail
        case .invalidField("", let problem), .unreadableBody(let problem):
            "Invalid JSON payload received. \(problem)"
        case .invalidField(let pointer, let problem): "Invalid JSON payload received. \(pointer) \(problem)"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .notImplemented(let feature): "\(feature) is not implemented."
        }
    }

    /// The message if the invalid JSON is a row of a file instead of the body of a request.
    var messageForRow: String {
        switch self {
        case .unreadableBody(let problem): "Invalid JSON in this row. \(problem)"
        case .invalidField("", let problem): "the row \(problem)"
        case .invalidField(let pointer, let problem): "\(pointer) \(problem)"
        case .rejected, .notFound, .methodNotAllowed, .notImplemented: message
        }
    }
}

extension RequestRefusal {
    init(_ fault: JSONFault) {
        let problem =
            switch fault {
            case .notUTF8: "The text is not valid UTF-8."
            case .malformed(let offset): "Syntax error at byte \(offset)."
            case .tooDeep: "The text is nested too deeply."
            case .duplicateMember: "A member of an object is repeated."
            case .nul: "The text contains U+0000."
            case .loneSurrogate: "The text contains half of a surrogate pair."
            case .combiningRun: "The text has more than 128 combining characters in a row."
            }
        self = .unreadableBody(problem)
    }

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self = .invalidField(context.codingPath.pointer, "must be \(Self.jsonType(of: type))")
        case .keyNotFound(let key, let context):
            self = .invalidField((context.codingPath + [key]).pointer, "must be present")
        case .dataCorrupted(let context):
            self = .invalidField(context.codingPath.pointer, "is out of range")
        @unknown default:
            self = .invalidField("", "is not what was expected")
        }
    }

    /// The JSON type that `type` is decoded from, with an article for the error message.
    private static func jsonType(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "a boolean"
        case is any Numeric.Type: "a number"
        case is any ExpressibleByArrayLiteral.Type: "an array"
        default: "an object"
        }
    }
}

extension RequestRefusal {
    /// Returns the value whose raw value is `name`; `nil` if `name` is `nil`.
    ///
    /// - Throws: ``invalidField(_:_:)`` for an unknown name.
    static func enumValue<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String?, at pointer: String
    ) throws(RequestRefusal) -> Value? {
        guard let name else { return nil }
        guard let value = Value(rawValue: name) else { throw .notOneOf(Value.allCases.map(\.rawValue), at: pointer) }
        return value
    }

    /// The refusal of a text that is not one of `names`.
    static func notOneOf(_ names: [String], at pointer: String) -> RequestRefusal {
        .invalidField(pointer, "must be equal to one of the allowed values: \(names.joined(separator: ", "))")
    }
}

extension [any CodingKey] {
    /// The JSON pointer (RFC 6901) for an error message. Names are not escaped, because only keys of maps can contain
    /// `~` or `/`, and the client itself chose those keys.
    var pointer: String {
        map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}
