internal import HTTP
internal import Identity
internal import JSON

/// The body of a client operation. Every one may name a tenant or a project, and every one has to answer for it.
protocol ClientRequest: Decodable {
    var tenantId: String? { get }
    var targetProjectId: String? { get }
}

extension EndpointCall {
    /// - Throws: ``WireError``.
    func body<Content: ClientRequest>(as type: Content.Type = Content.self) throws -> Content {
        let content = try decoded(as: type)
        try content.checkScope(in: tenant)
        return content
    }

    /// A form is a form by its content type, unless it opens like an object: many a tool calls everything a form.
    var isForm: Bool {
        let contentType = request.headers["Content-Type"]?.lowercased() ?? ""
        return contentType.hasPrefix("application/x-www-form-urlencoded") && request.body.first != UInt8(ascii: "{")
    }

    /// `nil` if there is none, or it is malformed.
    var form: [(String, String)]? { isForm ? FormDecoder.decode(request.body) : nil }

    /// Parses a JSON body, at each call anew: for the tenant it names, for its project, for its content. An empty body is an object without members; unknown members are ignored, `null`
    /// is absence, names are taken in snake_case too, and the content type is not looked at.
    ///
    /// - Throws: what the caller is answered with.
    public func decoded<Content: Decodable>(as type: Content.Type) throws -> Content {
        do {
            return try StrictJSON.decode(
                type, from: request.body.isEmpty ? Array("{}".utf8) : request.body, snakeCaseKeys: true)
        } catch let fault as JSONFault {
            throw WireError(fault)
        } catch let error as DecodingError {
            throw WireError(error)
        }
    }
}

extension ClientRequest {
    /// - Parameter tenant: that was found by what the request names.
    func checkScope(in tenant: ID<Tenant>?) throws(WireError) {
        guard targetProjectId == nil else { throw .projectNotChosenByClients }
        guard tenantId.nonEmpty == nil || tenantId == tenant?.rawValue else { throw .unknownTenant }
    }
}

extension WireError {
    init(_ fault: JSONFault) {
        let reason =
            switch fault {
            case .notUTF8: "It is not UTF-8."
            case .malformed(let offset): "It is not JSON from byte \(offset) on."
            case .tooDeep: "It has too many levels."
            case .duplicateMember: "A member is there twice."
            case .nul: "It holds U+0000."
            case .loneSurrogate: "It holds half of a surrogate pair."
            }
        self = .unreadableBody(reason)
    }

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self = .invalidField(context.codingPath.pointer, "must be \(Self.schemaName(type))")
        case .keyNotFound(let key, let context):
            self = .invalidField((context.codingPath + [key]).pointer, "must be present")
        case .dataCorrupted(let context):
            self = .invalidField(context.codingPath.pointer, "is out of range")
        @unknown default:
            self = .invalidField("", "is not what was expected")
        }
    }

    /// The JSON Schema name of what `type` is decoded from.
    private static func schemaName(_ type: Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is any Numeric.Type: "number"
        case is any ExpressibleByArrayLiteral.Type: "array"
        default: "object"
        }
    }
}

extension [any CodingKey] {
    /// RFC 6901. The members of our requests have neither `~` nor `/` in their names.
    var pointer: String {
        map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}
